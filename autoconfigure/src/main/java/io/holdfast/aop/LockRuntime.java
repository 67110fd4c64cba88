package io.holdfast.aop;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import org.jspecify.annotations.Nullable;

/**
 * What all locked methods of an application are run with.
 */
final class LockRuntime {

	private final Supplier<LockTemplate> templates;

	private final Supplier<LockDefaults> defaults;

	private final Consumer<LockHandle> releaseAside;

	private final Consumer<LockHandle> noteUnused;

	private volatile @Nullable LockTemplate template;

	LockRuntime(Supplier<LockTemplate> templates, Supplier<LockDefaults> defaults, Consumer<LockHandle> releaseAside,
			Consumer<LockHandle> noteUnused) {
		this.templates = templates;
		this.defaults = defaults;
		this.releaseAside = releaseAside;
		this.noteUnused = noteUnused;
	}

	/**
	 * Return the template. It is created after the advisor, so the first call looks it
	 * up. No lock is taken for that: the thread that creates the template could wait for
	 * it.
	 */
	LockTemplate template() {
		LockTemplate known = this.template;
		if (known == null) {
			known = this.templates.get();
			this.template = known;
		}
		return known;
	}

	/**
	 * Return how long a request waits, also if it does not say so.
	 */
	Duration waitFor(LockRequest request) {
		return (request.waitFor() != null) ? request.waitFor() : this.defaults.get().waitFor();
	}

	/**
	 * Release a lock without waiting for Redis.
	 */
	void releaseAside(LockHandle lock) {
		this.releaseAside.accept(lock);
	}

	/**
	 * Note that nothing has run under a lock that is about to be released. Does not wait
	 * for Redis.
	 */
	void noteUnused(LockHandle lock) {
		this.noteUnused.accept(lock);
	}

}
