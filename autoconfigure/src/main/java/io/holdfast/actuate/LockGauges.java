package io.holdfast.actuate;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

import io.holdfast.engine.EngineListener;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.HoldfastLockRegistry.Status;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Gauges of held locks and of waiting callers, computed when read, and counters of
 * renewals. They are not tagged with names of locks.
 *
 * @since 0.1.0
 * @see LockMetrics
 */
public final class LockGauges implements MeterBinder, EngineListener {

	private final Supplier<HoldfastLockRegistry> locks;

	private final List<Renewals> renewals = new CopyOnWriteArrayList<>();

	/**
	 * Create gauges.
	 * @param locks returns the locks to measure, which this listens to; called when a
	 * gauge is read
	 */
	public LockGauges(Supplier<HoldfastLockRegistry> locks) {
		this.locks = locks;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		gauge(registry, "holdfast.held", "locks", "Locks that this instance holds", Status::held);
		gauge(registry, "holdfast.waiting", "callers", "Callers of this instance that wait for a lock",
				Status::waiting);
		this.renewals
			.add(new Renewals(counter(registry, "holdfast.renewals", "Leases that were renewed in the background"),
					counter(registry, "holdfast.renewals.failed", "Renewals that the store did not answer")));
	}

	private void gauge(MeterRegistry registry, String name, String unit, String description,
			ToIntFunction<Status> count) {
		Gauge.builder(name, this, (gauges) -> count.applyAsInt(gauges.locks.get().status()))
			.description(description)
			.baseUnit(unit)
			.register(registry);
	}

	private static Counter counter(MeterRegistry registry, String name, String description) {
		return Counter.builder(name).description(description).register(registry);
	}

	@Override
	public void renewalFailed(long count) {
		this.renewals.forEach((counters) -> counters.failed().increment(count));
	}

	@Override
	public void renewed(long count) {
		this.renewals.forEach((counters) -> counters.renewed().increment(count));
	}

	private record Renewals(Counter renewed, Counter failed) {
	}

}
