package io.holdfast.quorum;

import java.time.Duration;
import java.util.UUID;
import java.util.stream.IntStream;

import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStoreException;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks that are kept on three masters, not all of which hear of it.
 */
@Tag("any-jdk")
@Tag("slow")
class KeptOnQuorumTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration LONG = Duration.ofMinutes(2);

	@RegisterExtension
	static final QuorumServers servers = new QuorumServers(3, Duration.ofSeconds(2));

	private final String key = "k-" + UUID.randomUUID();

	private final QuorumLockStore store = servers.open("one");

	private HoldId hold;

	/**
	 * All nodes have it, so that any two can be looked at.
	 */
	@BeforeEach
	void acquire() {
		await().ignoreException(ClassCastException.class).ignoreException(LockStoreException.class).until(() -> {
			this.hold = new HoldId("one:1", ((Granted) this.store.acquire(claim(0))).grants());
			return IntStream.range(0, 3).allMatch((node) -> Long.toString(token()).equals(field(node, "token")));
		});
	}

	@AfterEach
	void unfreeze() {
		servers.all().forEach(RedisProcess::unfreeze);
	}

	private Claim claim(long number) {
		return Claims.exclusive(this.key, "one:1", LEASE, number, null);
	}

	private long token() {
		return this.hold.grants().get(0).token();
	}

	private String field(int node, String field) {
		return servers.server(node).ask((jedis) -> jedis.hget("holdfast:{" + this.key + "}", field));
	}

	private long remaining(int node) {
		return servers.server(node).ask((jedis) -> jedis.pttl("holdfast:{" + this.key + "}"));
	}

	@Test
	void nodeThatWasAwayIsToldWhatIsLeftOfTheRest() {
		servers.server(2).freeze();
		try {
			assertThat(this.store.keep(this.hold, LONG)).isTrue();
			assertThat(field(0, "one:1:kept")).isNotNull();
		}
		finally {
			servers.server(2).unfreeze();
		}
		assertThat(this.store.acquire(claim(0))).isInstanceOf(Denied.class);
		assertThat(this.store.acquire(claim(1))).isInstanceOf(Denied.class);
		await().until(() -> field(2, "one:1:kept") != null);
		assertThat(field(2, "one:1")).isNull();
		assertThat(remaining(2)).isBetween(LEASE.toMillis() * 2, LONG.toMillis());
	}

	@Test
	void withoutAQuorumItIsAskedForAgain() {
		servers.server(1).freeze();
		servers.server(2).freeze();
		try {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.store.keep(this.hold, LONG))
				.satisfies((failure) -> assertThat(failure.isTransient()).isTrue());
		}
		finally {
			servers.server(1).unfreeze();
			servers.server(2).unfreeze();
		}
		await().ignoreException(LockStoreException.class).until(() -> this.store.keep(this.hold, LONG));
		assertThat(this.store.acquire(claim(1))).isInstanceOf(Denied.class);
	}

}
