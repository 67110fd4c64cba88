package io.holdfast.actuate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore.Check;
import io.holdfast.engine.LockStore.NodeStatus;
import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

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
public final class LocksHealthIndicator implements HealthIndicator {

	private static final long ANSWER_COUNTS_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final HoldfastLockRegistry registry;

	private final OperatorCalls calls = new OperatorCalls(1);

	private @Nullable Future<Check> check;

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
			addDetails(builder);
			addCheck(builder, OperatorCalls.answer(check()));
		}
		catch (RuntimeException | Error ex) {
			// No failure of a client of Redis hides the health of the rest
			builder.down(ex);
		}
		return builder.build();
	}

	// A check that began less than a second ago, or has no answer yet, is used again
	private synchronized Future<Check> check() {
		Future<Check> check = this.check;
		long now = System.nanoTime();
		if (check == null || (check.isDone() && now - this.checkedAt >= ANSWER_COUNTS_NANOS)) {
			check = this.calls.ask(this.registry::check);
			this.check = check;
			this.checkedAt = now;
		}
		return check;
	}

	private static void addCheck(Health.Builder builder, Check check) {
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

	private void addDetails(Health.Builder builder) {
		HoldfastLockRegistry.Status status = this.registry.status();
		builder.withDetail("instance", status.instanceId())
			.withDetail("held", status.held())
			.withDetail("waiting", status.waiting())
			.withDetail("oldestHold", text(this.registry.operations().oldestHold()))
			.withDetail("lastRenewal", text(status.lastRenewal()))
			.withDetail("wakeUps", status.subscription());
	}

	private static String text(@Nullable Object value) {
		return (value != null) ? value.toString() : "none";
	}

}
