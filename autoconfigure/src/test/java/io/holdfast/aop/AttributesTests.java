package io.holdfast.aop;

import java.time.Duration;
import java.util.function.Consumer;

import io.holdfast.DistributedLock;
import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockSnapshot;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Attributes that are set, and the same ones that are not: then it is as configured.
 */
@Tag("slow")
class AttributesTests {

	private static void run(Consumer<AssertableApplicationContext> test, String... properties) {
		LocalApplication.with(Calls.class).withPropertyValues(properties).run(test::accept);
	}

	@Test
	void lease() {
		run((context) -> {
			Calls calls = context.getBean(Calls.class);
			assertThat(calls.lease().remainingLease()).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(3));
			assertThat(calls.plain().remainingLease()).isBetween(Duration.ofMinutes(6), Duration.ofMinutes(7));
		}, "holdfast.lease=7m");
	}

	@Test
	void waitFor() {
		run((context) -> LocalApplication.whileHeldElsewhere(context, "attributes", () -> {
			Calls calls = context.getBean(Calls.class);
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(calls::waits)
				.satisfies((ex) -> assertThat(ex.getWaited()).isLessThan(Duration.ofSeconds(3)));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(calls::plain)
				.satisfies((ex) -> assertThat(ex.getWaited()).isGreaterThanOrEqualTo(Duration.ofSeconds(3)));
		}), "holdfast.wait-for=3s");
	}

	@Test
	void autoRenew() {
		run((context) -> assertThat(context.getBean(Calls.class).runsFor(Duration.ofMillis(6500))).isEqualTo("done"),
				"holdfast.lease=6s");
		run((context) -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> context.getBean(Calls.class).runsUnrenewedFor(Duration.ofMillis(1500))),
				"holdfast.lease=1s");
		run((context) -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> context.getBean(Calls.class).runsFor(Duration.ofMillis(1500))), "holdfast.lease=1s",
				"holdfast.auto-renew=false");
	}

	@Test
	void maxHold() {
		run((context) -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> context.getBean(Calls.class).runsAtMost(Duration.ofMillis(1500))), "holdfast.lease=1s");
		run((context) -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> context.getBean(Calls.class).runsFor(Duration.ofMillis(1500))), "holdfast.lease=1s",
				"holdfast.max-hold=100ms");
	}

	@Test
	void nameAndKey() {
		run((context) -> {
			Calls calls = context.getBean(Calls.class);
			assertThat(calls.plain().keys()).containsExactly("attributes");
			assertThat(calls.plain().name()).isNull();
			assertThat(calls.named().keys()).containsExactly("orders:attributes");
			assertThat(calls.named().name()).isEqualTo("orders");
			assertThat(calls.nameOnly().keys()).containsExactly("orders");
		});
	}

	static class Calls {

		private final ObjectProvider<LockRegistry> registry;

		Calls(ObjectProvider<LockRegistry> registry) {
			this.registry = registry;
		}

		private LockSnapshot lock() {
			return this.registry.getObject()
				.held()
				.stream()
				.filter((lock) -> lock.threadName().equals(Thread.currentThread().getName()))
				.findFirst()
				.orElseThrow();
		}

		private static String work(Duration time) {
			long end = System.nanoTime() + time.toNanos();
			await().until(() -> System.nanoTime() - end > 0);
			return "done";
		}

		@DistributedLock(key = "'attributes'")
		LockSnapshot plain() {
			return lock();
		}

		@DistributedLock(key = "'attributes'", lease = "3m")
		LockSnapshot lease() {
			return lock();
		}

		@DistributedLock(key = "'attributes'", waitFor = "0")
		void waits() {
		}

		@DistributedLock(key = "'attributes'")
		String runsFor(Duration time) {
			return work(time);
		}

		@DistributedLock(key = "'attributes'", autoRenew = false)
		String runsUnrenewedFor(Duration time) {
			return work(time);
		}

		@DistributedLock(key = "'attributes'", maxHold = "100ms")
		String runsAtMost(Duration time) {
			return work(time);
		}

		@DistributedLock(name = "orders", key = "'attributes'")
		LockSnapshot named() {
			return lock();
		}

		@DistributedLock(name = "orders")
		LockSnapshot nameOnly() {
			return lock();
		}

	}

}
