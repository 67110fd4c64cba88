package io.holdfast.test;

import java.net.URL;
import java.security.CodeSource;
import java.util.Comparator;
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
		STACK
			.walk((frames) -> frames.filter((frame) -> mayBeUsers(frame.getDeclaringClass()))
				.min(Comparator.comparing((frame) -> isInJar(frame.getDeclaringClass()))))
			.ifPresent((frame) -> this.places.put(lock, frame));
	}

	private static boolean mayBeUsers(Class<?> type) {
		URL source = sourceOf(type);
		boolean isLibrary = source == null || source.equals(sourceOf(LockTemplate.class))
				|| source.equals(sourceOf(AcquisitionPlaces.class))
				|| type.getName().startsWith("org.springframework.");
		return !isLibrary && !type.getName().contains("$$");
	}

	// As libraries are. The code under test is in a directory of the build, at least its
	// tests
	private static boolean isInJar(Class<?> type) {
		URL source = sourceOf(type);
		return source == null || !source.getPath().endsWith("/");
	}

	private static @Nullable URL sourceOf(Class<?> type) {
		CodeSource source = type.getProtectionDomain().getCodeSource();
		return (source != null) ? source.getLocation() : null;
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
