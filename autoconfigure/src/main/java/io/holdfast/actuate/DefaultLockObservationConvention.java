package io.holdfast.actuate;

import java.util.Locale;
import java.util.stream.Collectors;

import io.holdfast.LogText;
import io.micrometer.common.KeyValues;

/**
 * Default names and key values of the observation of a section. Spans and metrics are
 * tagged with {@code lock} ({@code none} without a name, {@code other} when there are too
 * many names), {@code mode}, and {@code outcome}; only spans with {@code key} and
 * {@code token}, or those of all keys.
 *
 * @since 0.1.0
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

	@Override
	public String getName() {
		return "holdfast.lock";
	}

	/**
	 * Name the span after the kind of lock, if it has a name.
	 */
	@Override
	public String getContextualName(LockObservationContext context) {
		return (context.getRequest().name() != null) ? "lock " + context.getLockName() : "lock";
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		return KeyValues.of("lock", context.getLockName(), "mode", text(context.getMode()), "outcome",
				text(context.getOutcome()));
	}

	private static String text(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		return KeyValues.of("key", LogText.keys(context.getKeys()), "token",
				context.getTokens().stream().map(String::valueOf).collect(Collectors.joining(", ")));
	}

}
