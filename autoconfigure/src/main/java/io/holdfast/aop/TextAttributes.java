package io.holdfast.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.holdfast.DistributedLock;
import io.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeansException;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reads the attributes of annotations that are texts, for durations and numbers, and
 * refuses to keep a key longer than it can be held.
 *
 * <p>
 * Annotations are also read while an application is processed ahead of time. Properties
 * may have other values there, or none at all: a text with a placeholder counts as not
 * set, and what depends on the configured defaults is not checked.
 */
final class TextAttributes {

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private static final Set<String> NEEDS_NO_UNIT = Set.of("0", "-1");

	private static final Kind<Duration> DURATION = new Kind<>("duration", "30s", TextAttributes::duration);

	private static final Kind<Integer> NUMBER_OF_HOLDERS = new Kind<>("number", "3", Integer::valueOf);

	private static final String PER = "per";

	private final StringValueResolver placeholders;

	private final Schedules schedules;

	private final Supplier<LockDefaults> defaults;

	TextAttributes(StringValueResolver placeholders, Supplier<LockDefaults> defaults) {
		this.placeholders = placeholders;
		this.schedules = new Schedules(placeholders);
		this.defaults = defaults;
	}

	LockRequest apply(AnnotatedMethod found, LockRequest prototype) {
		DistributedLock annotation = found.annotation();
		Method method = found.method();
		String minHold = found.isRunOnce() ? PER : "minHold";
		LockRequest request = set(prototype, method, "lease", annotation.lease(), DURATION, LockRequest::lease);
		request = set(request, method, "waitFor", annotation.waitFor(), DURATION, LockRequest::waitFor);
		request = set(request, method, minHold, annotation.minHold(), DURATION, LockRequest::minHold);
		request = set(request, method, "maxHold", annotation.maxHold(), DURATION, LockRequest::maxHold);
		request = set(request, method, "permitsString", annotation.permitsString(), NUMBER_OF_HOLDERS,
				LockRequest::permits);
		if (isProcessedAheadOfTime()) {
			return request;
		}
		request = found.isRunOnce() ? once(request, found) : request;
		if (request.minHold() != null) {
			checkMinHold(request, minHold, request.minHold(), annotation.autoRenew(), method);
		}
		return request;
	}

	// A holder that dies keeps its key for the interval as well
	private LockRequest once(LockRequest request, AnnotatedMethod found) {
		Duration per = request.minHold();
		if (per == null || per.isZero()) {
			throw new InvalidDistributedLockException(found.method(), PER,
					"is no interval: \"%s\"".formatted(found.annotation().minHold()),
					"Set 'per' to a duration such as \"1h\".", null);
		}
		Duration kept = this.schedules.minHold(found.method(), per);
		Duration lease = this.defaults.get().lease();
		boolean leaseIsOpen = request.lease() == null && kept.compareTo(lease) > 0;
		return (leaseIsOpen ? request.lease(kept) : request).minHold(kept);
	}

	private <T> LockRequest set(LockRequest request, Method method, String attribute, String text, Kind<T> kind,
			BiFunction<LockRequest, T, LockRequest> setter) {
		if (text.isBlank()) {
			return request;
		}
		try {
			String resolved = resolve(text);
			return StringUtils.hasText(resolved) ? setter.apply(request, kind.reader().apply(resolved.trim()))
					: request;
		}
		catch (IllegalArgumentException | ArithmeticException | BeansException ex) {
			String wrong = isExpression(text) ? "the value of \"%s\"".formatted(text) : "'%s'".formatted(attribute);
			throw new InvalidDistributedLockException(method, attribute,
					"is not a usable %s: \"%s\" (%s)".formatted(kind.noun(), text, ex.getMessage()),
					"Set %s to a %s such as %s.".formatted(wrong, kind.noun(), kind.example()), ex);
		}
	}

	private static boolean isExpression(String text) {
		return text.contains("${") || text.contains("#{");
	}

	private @Nullable String resolve(String text) {
		return (isExpression(text) && isProcessedAheadOfTime()) ? "" : this.placeholders.resolveStringValue(text);
	}

	// Without a unit, 30 would be so many milliseconds, where seconds are meant
	private static Duration duration(String text) {
		if (NUMBER.matcher(text).matches() && !NEEDS_NO_UNIT.contains(text)) {
			throw new IllegalArgumentException(
					"%s has no unit: write %ss for seconds, or %sms for milliseconds".formatted(text, text, text));
		}
		Duration duration = DurationStyle.detectAndParse(text);
		try {
			// times are measured in nanoseconds
			return Duration.ofNanos(duration.toNanos());
		}
		catch (ArithmeticException ex) {
			throw new IllegalArgumentException("It is too long: " + duration, ex);
		}
	}

	static boolean isProcessedAheadOfTime() {
		return Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING);
	}

	private void checkMinHold(LockRequest request, String attribute, Duration minHold, boolean autoRenew,
			Method method) {
		LockDefaults known = this.defaults.get();
		if (!autoRenew || !known.autoRenew()) {
			requireAtMost(attribute, minHold, orDefault(request.lease(), known.lease()), method,
					"the lease, which is not renewed",
					"Shorten '%s', raise 'lease' (or 'holdfast.lease'), or have the lease renewed ('autoRenew')."
						.formatted(attribute));
		}
		requireAtMost(attribute, minHold, orDefault(request.maxHold(), known.maxHold()), method,
				"'maxHold', after which the lease is not renewed",
				"Shorten '%s', or raise 'maxHold' (or 'holdfast.max-hold').".formatted(attribute));
	}

	private static @Nullable Duration orDefault(@Nullable Duration own, @Nullable Duration other) {
		return (own != null) ? own : other;
	}

	private static void requireAtMost(String attribute, Duration minHold, @Nullable Duration limit, Method method,
			String what, String action) {
		if (limit != null && minHold.compareTo(limit) > 0) {
			throw new InvalidDistributedLockException(method, attribute,
					"is longer than %s: %s is more than %s".formatted(what, minHold, limit), action, null);
		}
	}

	private record Kind<T>(String noun, String example, Function<String, T> reader) {
	}

}
