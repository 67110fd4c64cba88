package io.holdfast.engine;

import java.util.function.Supplier;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;

import org.springframework.util.ClassUtils;

/**
 * What a caller's thread carries, for what runs on other threads for it: requests about
 * its lock, and code that goes on once that is acquired. These are thread-locals that
 * Micrometer's context propagation knows, if it is on the class path. Equal if they carry
 * the same.
 */
interface RequestContext {

	RequestContext NONE = new RequestContext() {
		@Override
		public <T> T call(Supplier<T> request) {
			return request.get();
		}
	};

	<T> T call(Supplier<T> request);

	default void run(Runnable request) {
		call(() -> {
			request.run();
			return true;
		});
	}

	// Captures all that the current thread carries, for code of the caller
	static RequestContext ofCaller() {
		return Propagation.AVAILABLE ? new Propagation(ContextSnapshotFactory.builder().build().captureAll()) : NONE;
	}

	// Captures what the current thread carries if the store chooses a server by it
	static RequestContext of(LockStore store) {
		return (store.chooser() != null && Propagation.AVAILABLE) ? Propagation.capture() : NONE;
	}

	// The only type that refers to the library
	record Propagation(ContextSnapshot snapshot) implements RequestContext {

		private static final boolean AVAILABLE = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
				RequestContext.class.getClassLoader());

		// Observations and spans: a renewal is no part of the request that took the lock
		private static final String TRACES = "micrometer.";

		private static RequestContext capture() {
			return new Propagation(ContextSnapshotFactory.builder()
				.captureKeyPredicate((key) -> !key.toString().startsWith(TRACES))
				.build()
				.captureAll());
		}

		@Override
		public <T> T call(Supplier<T> request) {
			ContextSnapshot.Scope scope = this.snapshot.setThreadLocals();
			try {
				return request.get();
			}
			finally {
				scope.close();
			}
		}

	}

}
