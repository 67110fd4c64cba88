package io.holdfast.quorum;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStoreException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.RedisConnectionFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What an attempt left behind on one of three masters, and a later attempt of the same
 * owner.
 */
@Tag("any-jdk")
class QuorumPendingRequestsTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	@RegisterExtension
	static final QuorumServers servers = QuorumServers.sure(3);

	private final String key = "k-" + UUID.randomUUID();

	private final AtomicBoolean mayBeSent = new AtomicBoolean();

	private final Claim claim = Claims.exclusive(this.key, "one:1", LEASE, 0, null);

	/**
	 * What is still to be taken back cannot be yet.
	 */
	private void beforePendingRequests(int call) {
		if (!this.mayBeSent.get() && isPendingRequest()) {
			throw new RedisConnectionFailureException("not yet");
		}
	}

	private static boolean isPendingRequest() {
		return StackWalker.getInstance()
			.walk((frames) -> frames.anyMatch((frame) -> frame.getClassName().equals(PendingRequests.class.getName())));
	}

	private static IntConsumer failingOn(int failing) {
		return (call) -> {
			if (call == failing) {
				throw new RedisConnectionFailureException("call " + call);
			}
		};
	}

	private Jedis connect(int index) {
		return servers.server(index).connect();
	}

	private String lock() {
		return "holdfast:{" + this.key + "}";
	}

	private void warmUp() {
		QuorumLockStore store = servers.open("warm");
		await().ignoreException(LockStoreException.class)
			.until(() -> store.acquire(Claims.exclusive("warm-up", "warm:1", LEASE, 0, null)) instanceof Granted granted
					&& store.release(new HoldId("warm:1", granted.grants())));
	}

	/**
	 * The first attempt counts on the first node only, whose token is ahead of the clock.
	 * The second attempt is granted by that one and another as soon as the first has been
	 * taken back, and not before.
	 */
	@Test
	void takingBackAnAttemptDoesNotHitTheNext() {
		warmUp();
		long ahead = (System.currentTimeMillis() + Duration.ofHours(1).toMillis()) * 1_000;
		try (Jedis first = connect(0); Jedis third = connect(2)) {
			first.set(lock() + ":token", Long.toString(ahead));
			third.hset(lock(), "two:1", "1");
			QuorumLockStore store = servers.openDisturbed("one",
					Map.of(0, this::beforePendingRequests, 1, failingOn(2), 2, failingOn(2)));
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> store.acquire(this.claim));
			assertThat(first.hget(lock(), "one:1")).isEqualTo("1");
			long before = Long.parseLong(first.hget(lock(), "token"));
			third.del(lock());
			occupy(1);
			Claim next = Claims.exclusive(this.key, "one:1", LEASE, this.claim.number() + 1, null);
			assertThat(store.acquire(next)).isInstanceOf(Denied.class);
			this.mayBeSent.set(true);
			Granted granted = (Granted) await().until(() -> store.acquire(next), Granted.class::isInstance);
			HoldId held = granted.hold();
			assertThat(held.grants().get(0).token()).isGreaterThan(before);
			await().during(Duration.ofMillis(700)).until(() -> "1".equals(first.hget(lock(), "one:1")));
			assertThat(servers.open("two").acquire(Claims.exclusive(this.key, "two:2", LEASE, 0, null)))
				.isInstanceOf(Denied.class);
			assertThat(store.release(held)).isTrue();
		}
	}

	private void occupy(int index) {
		try (Jedis jedis = connect(index)) {
			jedis.del(lock());
			jedis.hset(lock(), "three:1", "1");
		}
	}

}
