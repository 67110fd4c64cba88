package io.holdfast.actuate;

import java.time.Duration;
import java.util.Map;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.TestInstance;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What operators see of a lock that its instance keeps for the next caller.
 */
class RetainedLocksTests {

	private static final LockRequest REQUEST = LockRequest.of("k").retain(Duration.ofMinutes(1));

	private final LocalLocks locks = new LocalLocks();

	private final TestInstance holder = new TestInstance((id) -> new LocalLockStore(this.locks));

	private final TestInstance other = new TestInstance((id) -> new LocalLockStore(this.locks));

	// A registry of meters refers to what it measures weakly
	private final LockGauges gauges = new LockGauges(() -> this.holder.registry());

	@BeforeEach
	void retain() {
		this.holder.registry().operations().announce(Map::of);
		await().until(() -> this.holder.registry().status().subscription() == Subscription.ACTIVE);
		this.holder.template().acquire(REQUEST).close();
	}

	@AfterEach
	void close() {
		this.holder.close();
		this.other.close();
	}

	// On a machine that stands still, the endpoint says that there was no answer in time
	private static LockDescriptor look(TestInstance instance) {
		LocksEndpoint endpoint = new LocksEndpoint(instance.registry(), new InstanceDetails("shop"));
		return (LockDescriptor) await().until(() -> endpoint.lock("k").getBody(), LockDescriptor.class::isInstance);
	}

	@Test
	void isTold() {
		for (TestInstance instance : new TestInstance[] { this.holder, this.other }) {
			HolderDescriptor told = look(instance).holder();
			assertThat(told.retained()).isTrue();
			assertThat(told.kept()).isNull();
			assertThat(told.owner()).isNotNull();
			assertThat(told.owner().instance()).isEqualTo(this.holder.id());
			assertThat(told.owner().threadId()).isNull();
		}
	}

	@Test
	void instanceThatUsesItAgainSaysWhoDoes() {
		try (LockHandle inside = this.holder.template().acquire(REQUEST)) {
			HolderDescriptor told = look(this.holder).holder();
			assertThat(told.retained()).isNull();
			assertThat(told.token()).isEqualTo(inside.fencingToken());
			assertThat(told.owner()).isNotNull();
			assertThat(told.owner().threadId()).isEqualTo(Thread.currentThread().getId());
		}
	}

	@Test
	void lockThatIsSharedIsNot() {
		LockHandle inside = this.holder.template().acquire(REQUEST);
		try (LockHandle shared = this.holder.template().acquire(LockRequest.of("k").shared())) {
			inside.close();
			LockDescriptor told = look(this.other);
			assertThat(told.mode()).isEqualTo(LockMode.SHARED);
			assertThat(told.holder().token()).isEqualTo(shared.fencingToken());
			assertThat(told.holder().retained()).isNull();
		}
	}

	@Test
	void isCounted() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		this.gauges.bindTo(meters);
		assertThat(meters.get("holdfast.retained").gauge().value()).isOne();
		assertThat(meters.get("holdfast.held").gauge().value()).isZero();
		LockHandle inside = this.holder.template().acquire(REQUEST);
		assertThat(meters.get("holdfast.retained").gauge().value()).isZero();
		inside.close();
	}

}
