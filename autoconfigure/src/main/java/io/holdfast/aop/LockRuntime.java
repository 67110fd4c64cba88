package io.holdfast.aop;

import java.time.Duration;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.engine.EngineHandle;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.util.Assert;

/**
 * What all locked methods of an application are run with.
 */
final class LockRuntime {

	private final Supplier<LockTemplate> templates;

	private final Supplier<LockDefaults> defaults;

	private volatile @Nullable LockTemplate template;

	LockRuntime(Supplier<LockTemplate> templates, Supplier<LockDefaults> defaults) {
		this.templates = templates;
		this.defaults = defaults;
	}

	/**
	 * Return the template. It is created after the advisor, so the first call looks it
	 * up. No lock is taken for that: the thread that creates the template could wait for
	 * it.
	 * @throws InvalidDistributedLockException when it is not clear which one is meant
	 */
	LockTemplate template() {
		LockTemplate known = this.template;
		if (known == null) {
			known = find();
			this.template = known;
		}
		return known;
	}

	private LockTemplate find() {
		try {
			return this.templates.get();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new InvalidDistributedLockException(
					"@DistributedLock needs one LockTemplate, and there are several beans: " + ex.getBeanNamesFound(),
					"Annotate the one that annotated methods are to use with @Primary.", ex);
		}
	}

	/**
	 * A template of the user's own may be a mock, which does nothing.
	 */
	void requireRun(boolean run) {
		Assert.state(run, () -> "The LockTemplate bean has not run the method, and has not refused to: %s"
			.formatted(template().getClass().getName()));
	}

	/**
	 * Return how long a request waits, also if it does not say so.
	 */
	Duration waitFor(LockRequest request) {
		return (request.waitFor() != null) ? request.waitFor() : this.defaults.get().waitFor();
	}

	/**
	 * Release a lock without waiting for Redis, if its registry can do that.
	 */
	static void releaseAside(LockHandle lock) {
		if (lock instanceof EngineHandle handle) {
			handle.releaseAside();
		}
		else {
			lock.release();
		}
	}

	/**
	 * Note that nothing has run under a lock that is about to be released. Does not wait
	 * for Redis.
	 */
	static void noteUnused(LockHandle lock) {
		if (lock instanceof EngineHandle handle) {
			handle.noteUnused();
		}
	}

}
