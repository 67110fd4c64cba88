package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LogText;
import io.holdfast.ReleaseResult;

import org.springframework.util.Assert;

/**
 * A handle of the engine, with what adapters need beyond the API.
 *
 * @since 0.1.0
 */
public interface EngineHandle extends LockHandle {

	@Override
	default long fencingToken() {
		List<String> keys = keys();
		Assert.state(keys.size() == 1, () -> "There is a fencing token for each of the keys %s: use fencingToken(key)"
			.formatted(LogText.of(LogText.keys(keys))));
		return fencingToken(keys.get(0));
	}

	@Override
	default ReleaseResult giveBack() {
		noteUnused();
		return release();
	}

	/**
	 * Note that the current thread uses the lock until it releases it, although it does
	 * not own it: if this thread ends the application, the shutdown does not wait for it.
	 */
	void noteUser();

	/**
	 * Mark the lock as unused before its release: the keys are then not kept for
	 * {@link io.holdfast.LockRequest#minHold()}.
	 */
	void noteUnused();

	/**
	 * Keep the keys locked at least so long from now on, even if they are released
	 * earlier, in place of {@link io.holdfast.LockRequest#minHold()}.
	 * @param atLeast the time; zero if a release frees the keys at once
	 */
	void keepFor(Duration atLeast);

}
