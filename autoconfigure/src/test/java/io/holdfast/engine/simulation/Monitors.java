package io.holdfast.engine.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.StackWalker.StackFrame;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.util.function.SingletonSupplier;

/**
 * Tells whether the current thread may hold a monitor: who hands over the baton then
 * would make others wait in reality. Code between a {@code synchronized} method's
 * beginning and its end does; so does all of a method with a {@code synchronized} block.
 */
final class Monitors {

	private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

	private static final Set<Class<?>> OF_OTHERS = Set.of(ConcurrentHashMap.class, SingletonSupplier.class);

	private static final Map<Class<?>, Set<String>> METHODS = new ConcurrentHashMap<>();

	private Monitors() {
	}

	static boolean mayBeHeld() {
		return STACK.walk((frames) -> frames.anyMatch(Monitors::mayHold));
	}

	private static boolean mayHold(StackFrame frame) {
		Class<?> type = frame.getDeclaringClass();
		if (!type.getName().startsWith("io.holdfast.")) {
			return OF_OTHERS.contains(type);
		}
		return METHODS.computeIfAbsent(type, Monitors::methodsWithMonitors)
			.contains(frame.getMethodName() + frame.getDescriptor());
	}

	private static Set<String> methodsWithMonitors(Class<?> type) {
		Set<String> found = new HashSet<>();
		try (InputStream code = type
			.getResourceAsStream(type.getName().substring(type.getPackageName().length() + 1) + ".class")) {
			if (code != null) {
				new ClassReader(code).accept(new Search(found), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
			return found;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static final class Search extends ClassVisitor {

		private final Set<String> found;

		private Search(Set<String> found) {
			super(SpringAsmInfo.ASM_VERSION);
			this.found = found;
		}

		@Override
		public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
				String @Nullable [] exceptions) {
			if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
				this.found.add(name + descriptor);
			}
			return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {

				@Override
				public void visitInsn(int opcode) {
					if (opcode == Opcodes.MONITORENTER) {
						Search.this.found.add(name + descriptor);
					}
				}

			};
		}

	}

}
