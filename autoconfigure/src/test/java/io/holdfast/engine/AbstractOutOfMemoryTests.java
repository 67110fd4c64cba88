package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What can be done with locks while Redis refuses what takes memory ({@code maxmemory}
 * with {@code noeviction}).
 */
public abstract class AbstractOutOfMemoryTests extends AbstractStoreTests {

	private static final Duration LONG = Duration.ofMinutes(2);

	protected abstract List<RedisProcess> servers();

	@AfterEach
	protected void freeMemory() {
		limitMemory(0);
	}

	protected void useUpMemory() {
		limitMemory(1);
	}

	private void limitMemory(int bytes) {
		for (RedisProcess server : servers()) {
			server.with((jedis) -> jedis.configSet("maxmemory", Integer.toString(bytes)));
		}
	}

	@Override
	protected LockRequest request() {
		return super.request().waitFor(Duration.ofSeconds(30));
	}

	protected CompletableFuture<Long> waiter() {
		CompletableFuture<Long> waiter = Threads.start(() -> {
			LockHandle lock = this.one.template().acquire(request());
			assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
			return lock.fencingToken();
		});
		awaitParked(1);
		return waiter;
	}

	/**
	 * A server that is slow may hear of two counts in the other order.
	 */
	private void assertThatCountIs(int count) {
		String owner = this.one.id() + ":" + Thread.currentThread().getId();
		await().until(() -> servers().stream()
			.filter((server) -> Integer.toString(count).equals(count(server, owner)))
			.count() > servers().size() / 2);
	}

	private String count(RedisProcess server, String owner) {
		return server.ask((jedis) -> jedis.hget("holdfast:{" + this.key + "}", owner));
	}

	private boolean isFreeSoon(LockRequest request) {
		return Threads.call(() -> this.two.template().tryAcquire(request).map(LockHandle::release)).isPresent();
	}

	@Test
	void newLockIsRefused() {
		useUpMemory();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.one.template().acquire(request().waitFor(Duration.ZERO)))
			.withMessageContaining(this.key);
		for (RedisProcess server : servers()) {
			server.with((jedis) -> assertThat(jedis.keys("holdfast:{" + this.key + "}*")).isEmpty());
		}
	}

	@Test
	void lockIsReleasedAlthoughSomebodyWaitsInLine() {
		LockHandle lock = this.one.template().acquire(request());
		CompletableFuture<Long> waiter = waiter();
		useUpMemory();
		assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		freeMemory();
		assertThat(Threads.join(waiter)).isGreaterThan(lock.fencingToken());
		assertThat(isFreeSoon(request())).isTrue();
	}

	@Test
	void nestedLockIsAcquiredAndGivenBack() {
		LockHandle outer = this.one.template().acquire(request());
		LockHandle inner = this.one.template().acquire(request());
		useUpMemory();
		LockHandle innermost = this.one.template().acquire(request().waitFor(Duration.ZERO));
		assertThatCountIs(3);
		assertThat(innermost.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThatCountIs(1);
		assertThat(outer.isHeld()).isTrue();
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		freeMemory();
		assertThat(isFreeSoon(request())).isTrue();
	}

	@Test
	void exclusiveAndSharedLocksAreRenewed() {
		LockHandle writer = this.one.template().acquire("written-" + this.key);
		LockHandle reader = this.one.template().acquire(request().shared());
		LockHandle other = Threads.call(() -> this.two.template().acquire(request().shared().ownedByHandle()));
		useUpMemory();
		for (LockHandle lock : List.of(writer, reader, other)) {
			assertThat(lock.extend(LONG)).isTrue();
			assertThat(lock.remainingLease()).isGreaterThan(LONG.dividedBy(2));
			assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		}
		freeMemory();
		assertThat(isFreeSoon(request())).isTrue();
	}

	@Test
	void writerGoesOnAsAReader() {
		LockHandle writer = this.one.template().acquire(request());
		useUpMemory();
		LockHandle reader = this.one.template().acquire(request().shared());
		assertThat(writer.release()).isEqualTo(ReleaseResult.STILL_HELD);
		freeMemory();
		assertThat(isFreeSoon(request().waitFor(Duration.ZERO))).isFalse();
		assertThat(isFreeSoon(request().shared())).isTrue();
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	@Test
	void lockIsKeptForItsMinHold() {
		LockHandle lock = this.one.template().acquire(request().minHold(LONG));
		useUpMemory();
		assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
		freeMemory();
		assertThat(isFreeSoon(request().waitFor(Duration.ZERO))).isFalse();
	}

}
