package io.holdfast.actuate;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.LockListener;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.NotAcquiredReason;
import io.holdfast.ReleaseResult;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Measures waits and holds, and counts losses. Tags carry the name of a lock, never its
 * key.
 *
 * @since 0.1.0
 * @see LockGauges
 */
public final class LockMetrics implements LockListener {

	private final LockNames names;

	private final MeterProvider<Timer> acquire;

	private final MeterProvider<Timer> hold;

	private final MeterProvider<Counter> lost;

	private final Set<String> registered = ConcurrentHashMap.newKeySet();

	/**
	 * Create metrics.
	 * @param registry where they are registered
	 * @param names the names that they are tagged with
	 */
	public LockMetrics(MeterRegistry registry, LockNames names) {
		this.names = names;
		this.acquire = Timer.builder("holdfast.acquire")
			.description("Time from the request for a lock to its grant, or to when the caller gave up")
			.withRegistry(registry);
		this.hold = Timer.builder("holdfast.hold")
			.description("Time from the grant of a lock to its release")
			.withRegistry(registry);
		this.lost = Counter.builder("holdfast.lost")
			.description("Locks that were lost while their holders relied on them")
			.baseUnit("locks")
			.withRegistry(registry);
	}

	@Override
	public void onAcquired(LockSnapshot lock, Duration waited) {
		registerAtZero(this.names.tag(lock.name()));
		acquire(lock.name(), "acquired").record(waited);
	}

	// Counters for alerts begin at zero: otherwise the first event would be no increase
	private void registerAtZero(String tag) {
		if (this.registered.add(tag)) {
			this.lost.withTags("lock", tag);
			this.acquire.withTags("lock", tag, "outcome", outcome(NotAcquiredReason.UNAVAILABLE));
		}
	}

	private static String outcome(NotAcquiredReason reason) {
		return reason.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited, NotAcquiredReason reason) {
		acquire(request.name(), outcome(reason)).record(waited);
	}

	@Override
	public void onReleased(LockSnapshot lock, Duration held, ReleaseResult result) {
		this.hold.withTags(tags(lock.name())).record(held);
	}

	@Override
	public void onLost(LockSnapshot lock, Throwable cause) {
		this.lost.withTags(tags(lock.name())).increment();
	}

	private Timer acquire(@Nullable String name, String outcome) {
		return this.acquire.withTags(tags(name).and("outcome", outcome));
	}

	private Tags tags(@Nullable String name) {
		return Tags.of("lock", this.names.tag(name));
	}

}
