package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.engine.HoldfastLockRegistry;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.BeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The meters of locks in an application.
 */
public final class LockMeters {

	private LockMeters() {
	}

	/**
	 * Use locks of an application in all ways that are measured.
	 */
	public static void useAll(BeanFactory context) {
		LockTemplate locks = context.getBean(LockTemplate.class);
		LockRequest request = LockRequest.of("key").name("order");
		locks.executeWithoutResult(request, (lock) -> assertThat(lock.isHeld()).isTrue());
		LockHandle lost = locks.acquire(request.ownedByHandle());
		CompletableFuture<LockHandle> refused = locks.acquireAsync(request.waitFor(Duration.ZERO));
		await().until(refused::isCompletedExceptionally);
		context.getBean(HoldfastLockRegistry.class).takeAway("order:key");
		await().until(() -> !lost.isHeld());
		lost.release();
	}

	/**
	 * Return those that are registered.
	 */
	static List<Meter> in(MeterRegistry registry) {
		return registry.getMeters()
			.stream()
			.filter((meter) -> meter.getId().getName().startsWith("holdfast."))
			.toList();
	}

}
