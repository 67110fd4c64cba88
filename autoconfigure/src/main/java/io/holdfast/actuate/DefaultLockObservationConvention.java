package io.holdfast.actuate;

import java.util.Locale;
import java.util.stream.Collectors;

import io.holdfast.LogText;
import io.holdfast.actuate.LockObservationDocumentation.HighCardinality;
import io.holdfast.actuate.LockObservationDocumentation.LowCardinality;
import io.micrometer.common.KeyValues;

/**
 * What is said of a section unless the application says otherwise: see
 * {@link LockObservationDocumentation}.
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
		return KeyValues.of(LowCardinality.LOCK.withValue(context.getLockName()),
				LowCardinality.MODE.withValue(text(context.getMode())),
				LowCardinality.OUTCOME.withValue(text(context.getOutcome())));
	}

	private static String text(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		return KeyValues.of(HighCardinality.KEY.withValue(LogText.keys(context.getKeys())), HighCardinality.TOKEN
			.withValue(context.getTokens().stream().map(String::valueOf).collect(Collectors.joining(", "))));
	}

}
