package io.holdfast.test;

import java.security.CodeSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.LockTemplate;
import io.holdfast.engine.EngineListener;
import org.jspecify.annotations.Nullable;

/**
 * Where in the code of tests and applications the held locks were acquired.
 */
final class AcquisitionPlaces implements EngineListener {

	private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

	private final Map<HeldLock, StackWalker.StackFrame> places = new ConcurrentHashMap<>();

	@Override
	public void held(HeldLock lock) {
		STACK.walk((frames) -> frames.filter((frame) -> isUsers(frame.getDeclaringClass())).findFirst())
			.ifPresent((frame) -> this.places.put(lock, frame));
	}

	private static boolean isUsers(Class<?> type) {
		CodeSource source = type.getProtectionDomain().getCodeSource();
		boolean isLibrary = source == null || source.equals(sourceOf(LockTemplate.class))
				|| source.equals(sourceOf(AcquisitionPlaces.class))
				|| type.getName().startsWith("org.springframework.");
		return !isLibrary && !type.getName().contains("$$");
	}

	private static @Nullable CodeSource sourceOf(Class<?> type) {
		return type.getProtectionDomain().getCodeSource();
	}

	@Override
	public void ended(HeldLock lock) {
		this.places.remove(lock);
	}

	/**
	 * Return the place; {@code null} if it was on a thread that runs no code of users.
	 */
	@Nullable Object of(HeldLock lock) {
		return this.places.get(lock);
	}

}
