package io.holdfast.test;

import java.net.URL;
import java.security.CodeSource;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.LockTemplate;
import io.holdfast.engine.EngineListener;
import org.jspecify.annotations.Nullable;

final class AcquisitionPlaces implements EngineListener {

	private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

	private static final int MOST_ASKED = 1000;

	private final Map<HeldLock, StackWalker.StackFrame> places = new ConcurrentHashMap<>();

	// By owner. Nothing tells that one has not got its lock
	private final Map<String, StackWalker.StackFrame> asked = Collections.synchronizedMap(new LinkedHashMap<>() {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, StackWalker.StackFrame> eldest) {
			return size() > MOST_ASKED;
		}

	});

	// A lock that is acquired asynchronously is held on a thread that runs no code of
	// users
	@Override
	public void asked(String owner) {
		place().ifPresent((frame) -> this.asked.put(owner, frame));
	}

	@Override
	public void held(HeldLock lock) {
		StackWalker.StackFrame asked = this.asked.remove(lock.id().owner());
		place().or(() -> Optional.ofNullable(asked)).ifPresent((frame) -> this.places.put(lock, frame));
	}

	private static Optional<StackWalker.StackFrame> place() {
		return STACK.walk((frames) -> frames.filter((frame) -> mayBeUsers(frame.getDeclaringClass()))
			.min(Comparator.comparing((frame) -> isInJar(frame.getDeclaringClass()))));
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

	// Null if it was on a thread that runs no code of users
	@Nullable Object of(HeldLock lock) {
		return this.places.get(lock);
	}

}
