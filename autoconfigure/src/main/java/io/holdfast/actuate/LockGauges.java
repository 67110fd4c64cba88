package io.holdfast.actuate;

import java.util.function.ToLongFunction;

import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockOperations.RenewalCounts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Gauges of held and retained locks and of waiting callers, and counters of renewals.
 * They are computed when read, and not tagged with names of locks.
 *
 * @since 0.1.0
 * @see LockMetrics
 */
public final class LockGauges implements MeterBinder {

	private final HoldfastLockRegistry locks;

	/**
	 * Create gauges.
	 * @param locks the locks to measure
	 */
	public LockGauges(HoldfastLockRegistry locks) {
		this.locks = locks;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder("holdfast.held", this.locks, (locks) -> locks.operations().heldCount())
			.description("Locks that this instance holds")
			.baseUnit("locks")
			.register(registry);
		Gauge.builder("holdfast.retained", this.locks, (locks) -> locks.operations().retainedCount())
			.description("Locks that this instance keeps for its next caller")
			.baseUnit("locks")
			.register(registry);
		Gauge.builder("holdfast.waiting", this.locks, (locks) -> locks.operations().waitingCount())
			.description("Callers of this instance that wait for a lock")
			.baseUnit("callers")
			.register(registry);
		renewals(registry, "renewed", RenewalCounts::renewed);
		renewals(registry, "failed", RenewalCounts::failed);
	}

	private void renewals(MeterRegistry registry, String outcome, ToLongFunction<RenewalCounts> count) {
		FunctionCounter
			.builder("holdfast.renewals", this.locks, (locks) -> count.applyAsLong(locks.operations().renewals()))
			.description("Renewals of leases that succeeded, and those that Redis did not answer")
			.baseUnit("renewals")
			.tag("outcome", outcome)
			.register(registry);
	}

}
