package io.holdfast.actuate;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * What is observed of locks.
 *
 * @since 0.1.0
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/**
	 * A section that runs under a lock, from the grant to the release.
	 */
	SECTION {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultLockObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return LowCardinality.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return HighCardinality.values();
		}

	};

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
		 * What has become of the section: {@code completed}, {@code failed} or
		 * {@code lost}; {@code running} until then.
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
