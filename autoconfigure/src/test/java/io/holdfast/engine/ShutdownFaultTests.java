package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.redis.RedisStores;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Shutdowns while requests are under way or get lost.
 */
@Tag("slow")
class ShutdownFaultTests extends AbstractNetworkTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void acquisitionUnderWayAtShutdownIsGivenBack(boolean startsAgain) {
		CountDownLatch granted = new CountDownLatch(1);
		CountDownLatch stopped = new CountDownLatch(1);
		this.network.beforeReply(Operation.ACQUIRE, () -> {
			granted.countDown();
			Threads.await(stopped);
		});
		CompletableFuture<LockHandle> acquisition = Threads
			.start(() -> this.one.template().acquire(request().ownedByHandle()));
		Threads.await(granted);
		this.one.registry().stop(Duration.ZERO);
		if (startsAgain) {
			this.network.beforeRequest(Operation.RELEASE, this.one.registry()::start);
		}
		stopped.countDown();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(acquisition));
		assertThat(this.one.registry().held()).isEmpty();
		assertThat(isFree()).isTrue();
	}

	/**
	 * As in two copies of a process, whose requests would have the same names.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void acquisitionThatBeganBeforeAStopIsRefusedWhenStartedAgain(boolean byHandle) {
		CountDownLatch granted = new CountDownLatch(1);
		CountDownLatch started = new CountDownLatch(1);
		this.network.beforeReply(Operation.ACQUIRE, () -> {
			granted.countDown();
			Threads.await(started);
		});
		LockRequest request = byHandle ? request().ownedByHandle() : request();
		CompletableFuture<LockHandle> acquisition = Threads.start(() -> this.one.template().acquire(request));
		Threads.await(granted);
		this.one.registry().stop(Duration.ZERO);
		this.one.registry().start();
		started.countDown();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Threads.join(acquisition));
		assertThat(this.one.registry().held()).isEmpty();
		this.one.template().acquire(this.key).close();
	}

	@Test
	void lossesAreToldBeforeAShutdownEnds() {
		List<String> told = new CopyOnWriteArrayList<>();
		for (String name : List.of("a", "b", "c")) {
			this.one.template().acquire(LockRequest.of(this.key + name).ownedByHandle()).onLost((lost) -> {
				pass(Duration.ofMillis(150));
				told.add(name);
			});
		}
		this.one.registry().stop(Duration.ZERO);
		assertThat(told).containsExactlyInAnyOrder("a", "b", "c");
	}

}
