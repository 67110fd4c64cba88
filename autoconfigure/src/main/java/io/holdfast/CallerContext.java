package io.holdfast;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;

import org.springframework.util.ClassUtils;

/**
 * Thread-locals of a caller, for code that runs on another thread: those that
 * Micrometer's context propagation knows, if it is on the class path.
 */
@FunctionalInterface
interface CallerContext {

	void run(Runnable code);

	static CallerContext capture() {
		return Propagation.AVAILABLE ? Propagation.capture() : Runnable::run;
	}

	/**
	 * Classes of the library are named here only.
	 */
	final class Propagation {

		private static final boolean AVAILABLE = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
				CallerContext.class.getClassLoader());

		private Propagation() {
		}

		private static CallerContext capture() {
			ContextSnapshot snapshot = ContextSnapshotFactory.builder().build().captureAll();
			return (code) -> snapshot.wrap(code).run();
		}

	}

}
