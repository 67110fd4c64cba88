package io.holdfast.actuate;

import java.util.Locale;
import java.util.stream.Collectors;

import io.holdfast.LogText;
import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;

/**
 * Default names and key values of the observation of a section.
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

	/**
	 * What spans and metrics are tagged with.
	 */
	public enum LowCardinality implements KeyName {

		/**
		 * Name of the lock; {@code none} when it has none, {@code other} when there are
		 * too many names.
		 */
		LOCK("lock"),

		/**
		 * {@code exclusive} or {@code shared}.
		 */
		MODE("mode"),

		/**
		 * Outcome of the section: {@code completed}, {@code failed} or {@code lost};
		 * {@code running} until then.
		 * @see LockObservationContext.Outcome
		 */
		OUTCOME("outcome");

		private final String key;

		LowCardinality(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/**
	 * What only spans are tagged with.
	 */
	public enum HighCardinality implements KeyName {

		/**
		 * Key of the lock, or all of them.
		 */
		KEY("key"),

		/**
		 * Fencing token, or that of each key.
		 */
		TOKEN("token");

		private final String key;

		HighCardinality(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

}
