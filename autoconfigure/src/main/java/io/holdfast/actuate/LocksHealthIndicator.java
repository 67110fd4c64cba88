package io.holdfast.actuate;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.engine.EngineStatus;
import io.holdfast.engine.HoldfastLockRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Tells whether locks can be acquired, by asking Redis, and how this instance's locks are
 * doing. Answers in time whatever Redis does: a probe that does not return is left to
 * itself, and no second one is started beside it.
 *
 * @since 0.1.0
 */
public final class LocksHealthIndicator extends AbstractHealthIndicator {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final HoldfastLockRegistry registry;

	private final AtomicReference<@Nullable CompletableFuture<Answer>> probe = new AtomicReference<>();

	/**
	 * Create a health indicator.
	 * @param registry the locks to tell of
	 */
	public LocksHealthIndicator(HoldfastLockRegistry registry) {
		super("Locks cannot be acquired");
		this.registry = registry;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) throws Exception {
		addDetails(builder, this.registry.status());
		try {
			tell(builder, probe().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
		}
		catch (ExecutionException ex) {
			builder.down((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw ex;
		}
		catch (TimeoutException ex) {
			builder.down(new TimeoutException("Redis did not answer within %d ms".formatted(TIMEOUT.toMillis())));
		}
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

	private CompletableFuture<Answer> probe() {
		CompletableFuture<Answer> fresh = new CompletableFuture<>();
		CompletableFuture<Answer> running = this.probe.compareAndExchange(null, fresh);
		if (running != null) {
			return running;
		}
		try {
			Thread thread = new Thread(() -> ask(fresh), "holdfast-health");
			thread.setDaemon(true);
			thread.start();
		}
		catch (Error ex) {
			this.probe.set(null);
			throw ex;
		}
		return fresh;
	}

	private void ask(CompletableFuture<Answer> answer) {
		try {
			answer.complete(new Answer(this.registry.nodes(), ping()));
		}
		catch (RuntimeException | Error ex) {
			answer.completeExceptionally(ex);
		}
		finally {
			this.probe.set(null);
		}
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

	private static void addDetails(Health.Builder builder, EngineStatus status) {
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
	 * @param nodes its servers, each with how it is doing; none if there is but one
	 * @param failure why locks cannot be acquired, or {@code null} when they can
	 */
	private record Answer(Map<String, String> nodes, @Nullable RuntimeException failure) {
	}

}
