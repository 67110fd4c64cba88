package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.TestInstance;
import io.holdfast.local.LocalStores;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

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
		context.getBean(HoldfastLockRegistry.class)
			.operations()
			.forceRelease("order:key", null, Duration.ofSeconds(20));
		await().until(() -> !lost.isHeld());
		lost.release();
	}

	/**
	 * Return the tags of all meters that there can be, and of those that become of
	 * observations.
	 */
	public static Map<String, String> tagsByName() {
		MeterRegistry registry = new SimpleMeterRegistry();
		LockMetrics metrics = new LockMetrics(registry, new LockNames(1));
		try (TestInstance instance = new TestInstance(new LocalStores()::open)) {
			new LockGauges(instance::registry).bindTo(registry);
			LockHandle lock = instance.template().acquire("key");
			metrics.onAcquired(instance.events().acquired().get(0), Duration.ZERO);
			metrics.onReleased(instance.events().acquired().get(0), Duration.ZERO, lock.release());
		}
		Map<String, String> tags = new TreeMap<>();
		in(registry).forEach((meter) -> tags.put(meter.getId().getName(), tags(meter)));
		String observation = new DefaultLockObservationConvention().getName();
		tags.put(observation, "error, lock, mode, outcome");
		tags.put(observation + ".active", "lock, mode, outcome");
		return tags;
	}

	static String tags(Meter meter) {
		return meter.getId().getTags().stream().map(Tag::getKey).collect(Collectors.joining(", "));
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
