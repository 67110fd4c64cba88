package io.holdfast.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.BiFunction;

import io.holdfast.LockRequest;

import org.springframework.beans.BeansException;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reads the durations of annotations.
 */
final class LockDurations {

	private final StringValueResolver placeholders;

	LockDurations(StringValueResolver placeholders) {
		this.placeholders = placeholders;
	}

	/**
	 * Return a request with the duration of an attribute, when that is set.
	 * @throws InvalidDistributedLockException when it cannot be read, or the request
	 * refuses it
	 */
	LockRequest set(LockRequest request, Method method, String attribute, String text,
			BiFunction<LockRequest, Duration, LockRequest> setter) {
		if (text.isBlank()) {
			return request;
		}
		try {
			String resolved = this.placeholders.resolveStringValue(text);
			return StringUtils.hasText(resolved) ? setter.apply(request, duration(resolved.trim())) : request;
		}
		catch (IllegalArgumentException | ArithmeticException | BeansException ex) {
			throw new InvalidDistributedLockException(method, attribute,
					"is not a usable duration: \"%s\" (%s)".formatted(text, ex.getMessage()),
					"Write '%s' as a duration such as \"30s\", \"PT30S\" or \"${some.property}\".".formatted(attribute),
					ex);
		}
	}

	private static Duration duration(String text) {
		Duration duration = DurationStyle.detectAndParse(text);
		try {
			// times are measured in nanoseconds
			return Duration.ofNanos(duration.toNanos());
		}
		catch (ArithmeticException ex) {
			throw new IllegalArgumentException("It is longer than time can be measured: " + duration, ex);
		}
	}

}
