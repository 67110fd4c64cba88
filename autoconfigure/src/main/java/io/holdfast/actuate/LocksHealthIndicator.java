package io.holdfast.actuate;

import java.util.Map;

import io.holdfast.engine.HoldfastLockRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Reports whether locks can be acquired, by asking Redis, and the state of this
 * instance's locks. Answers within about two seconds, whatever Redis does, and asks it on
 * one thread.
 *
 * @since 0.1.0
 */
public final class LocksHealthIndicator implements HealthIndicator {

	private final HoldfastLockRegistry registry;

	private final TimedCalls calls = new TimedCalls(1);

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
		addDetails(builder, this.registry.status());
		try {
			tell(builder, this.calls.call(this::ask));
		}
		catch (RuntimeException ex) {
			builder.down(ex);
		}
		return builder.build();
	}

	private static void tell(Health.Builder builder, Answer answer) {
		if (!answer.nodes().isEmpty()) {
			builder.withDetail("nodes", answer.nodes());
		}
		if (answer.failure() != null) {
			builder.down(answer.failure());
		}
		else {
			builder.up();
		}
	}

	private Answer ask() {
		return new Answer(this.registry.nodes(), ping());
	}

	private @Nullable RuntimeException ping() {
		try {
			this.registry.ping();
			return null;
		}
		catch (RuntimeException ex) {
			return ex;
		}
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

	/**
	 * What Redis has answered.
	 *
	 * @param nodes its servers, each with its state; none if there is only one
	 * @param failure why locks cannot be acquired, or {@code null} when they can
	 */
	private record Answer(Map<String, String> nodes, @Nullable RuntimeException failure) {
	}

}
