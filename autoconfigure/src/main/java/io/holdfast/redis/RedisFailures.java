package io.holdfast.redis;

import java.util.List;

import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Tells failures that may pass by themselves from those that somebody must mend.
 */
final class RedisFailures {

	/**
	 * What Redis' answer has in it when no repetition will help. Older versions wrap the
	 * error of a command in one of the script.
	 */
	private static final List<String> PERMANENT = List.of("WRONGTYPE", "NOPERM", "NOAUTH", "WRONGPASS",
			"Error compiling script", "CROSSSLOT", "same hashslot", "non local key", "fencing token is no number");

	private RedisFailures() {
	}

	static LockStoreException translate(@Nullable String key, RuntimeException failure) {
		Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
		String answer = String.valueOf(root.getMessage());
		boolean permanent = PERMANENT.stream().anyMatch(answer::contains);
		String subject = (key != null) ? "Redis failed on lock '%s': %s" : "Redis failed%s: %s";
		return new LockStoreException(subject.formatted((key != null) ? key : "", answer), failure, !permanent);
	}

	/**
	 * Return whether a failure comes from an interrupt of the thread.
	 */
	static boolean isInterrupt(Throwable failure) {
		for (@Nullable
		Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof InterruptedException) {
				return true;
			}
		}
		return false;
	}

}
