package io.holdfast.actuate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.holdfast.engine.DaemonThreads;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore.Check;
import io.holdfast.engine.LockStore.NodeStatus;
import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.core.NestedExceptionUtils;

/**
 * Reports whether locks can be acquired, by trying in Redis what locks do, and the state
 * of this instance's locks. Answers within about two seconds, whatever Redis does, and
 * asks it on one thread, at most once a second.
 *
 * @since 0.1.0
 */
public final class LocksHealthIndicator implements HealthIndicator, DisposableBean {

	private static final long ANSWER_COUNTS_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final HoldfastLockRegistry registry;

	private final ThreadPoolExecutor thread = DaemonThreads.pool(TimedCalls.THREADS, 1, 1);

	private @Nullable FutureTask<Check> check;

	private long checkedAt;

	/**
	 * Create a health indicator.
	 * @param registry the locks to report
	 */
	public LocksHealthIndicator(HoldfastLockRegistry registry) {
		this.registry = registry;
	}

	@Override
	public Health health() {
		Health.Builder builder = new Health.Builder();
		try {
			addDetails(builder, this.registry.status());
			tell(builder, TimedCalls.answer(check()));
		}
		catch (RuntimeException | Error ex) {
			// No failure of a client of Redis hides the health of the rest
			builder.down(ex);
		}
		return builder.build();
	}

	// One counts that has begun within a second, or that Redis has not answered yet
	private synchronized FutureTask<Check> check() {
		FutureTask<Check> check = this.check;
		long now = System.nanoTime();
		if (check == null || (check.isDone() && now - this.checkedAt >= ANSWER_COUNTS_NANOS)) {
			check = new FutureTask<>(this.registry::check);
			this.thread.execute(check);
			this.check = check;
			this.checkedAt = now;
		}
		return check;
	}

	private static void tell(Health.Builder builder, Check check) {
		if (!check.nodes().isEmpty()) {
			Map<String, String> states = new LinkedHashMap<>();
			check.nodes().forEach((node) -> states.put(node.name(), state(node)));
			builder.withDetail("nodes", states);
		}
		LockStoreException failure = check.failure();
		if (failure != null) {
			builder.down(failure);
		}
		else {
			builder.up();
		}
	}

	private static String state(NodeStatus node) {
		LockStoreException failure = node.failure();
		return (failure != null) ? String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure).getMessage())
				: "UP";
	}

	private static void addDetails(Health.Builder builder, HoldfastLockRegistry.Status status) {
		builder.withDetail("instance", status.instanceId())
			.withDetail("held", status.held())
			.withDetail("waiting", status.waiting())
			.withDetail("oldestHold", text(status.oldestHold()))
			.withDetail("lastRenewal", text(status.lastRenewal()))
			.withDetail("wakeUps", status.subscription());
	}

	private static String text(@Nullable Object value) {
		return (value != null) ? value.toString() : "none";
	}

	@Override
	public void destroy() {
		DaemonThreads.endIdle(this.thread);
	}

}
