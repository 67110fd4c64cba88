package io.holdfast.quorum;

import java.time.Duration;
import java.util.Set;
import java.util.UUID;

import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStoreException;
import io.holdfast.test.RedisProcess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A store on five masters, some of which may fail.
 */
abstract class AbstractFiveMastersTests {

	static final Duration NODE_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * For tests in which nobody is kept waiting on purpose.
	 */
	static final Duration PATIENCE = Duration.ofSeconds(4);

	static final Duration LEASE = Duration.ofSeconds(30);

	@RegisterExtension
	static final QuorumServers servers = new QuorumServers(5, NODE_TIMEOUT);

	static QuorumServers patient;

	final String key = "k-" + UUID.randomUUID();

	QuorumLockStore store = patient.open("one");

	final boolean[] down = new boolean[5];

	@BeforeAll
	static void connectPatiently() {
		patient = servers.patient(PATIENCE);
	}

	/**
	 * Have a node that is frozen cost less time.
	 */
	void lowerTimeout() {
		this.store = servers.open("one");
		warmUp();
	}

	@BeforeEach
	void warmUp() {
		await().ignoreException(LockStoreException.class).until(() -> {
			HoldId warm = new HoldId("one:0", granted("warm-up", "one:0", LEASE).grants());
			return this.store.release(warm)
					&& this.store.check().nodes().stream().allMatch((node) -> node.failure() == null);
		});
	}

	@AfterEach
	void restart() {
		for (int i = 0; i < this.down.length; i++) {
			if (this.down[i]) {
				servers.server(i).start();
			}
			else {
				servers.server(i).unfreeze();
			}
		}
	}

	void kill(int... indexes) {
		for (int index : indexes) {
			servers.server(index).kill();
			this.down[index] = true;
		}
	}

	Outcome acquire(String owner) {
		return this.store.acquire(Claims.exclusive(this.key, owner, LEASE, 0, null));
	}

	Granted granted(String lock, String owner, Duration lease) {
		return granted(Claims.exclusive(lock, owner, lease, 0, null));
	}

	Granted granted(Claim claim) {
		return granted(this.store, claim);
	}

	/**
	 * Try again when a busy machine keeps nodes from answering in time.
	 */
	static Granted granted(QuorumLockStore store, Claim claim) {
		return (Granted) await().pollDelay(Duration.ZERO)
			.ignoreException(LockStoreException.class)
			.until(() -> store.acquire(claim), Granted.class::isInstance);
	}

	HoldId hold(String owner) {
		return new HoldId(owner, granted(this.key, owner, LEASE).grants());
	}

	Set<String> keysOn(int index) {
		return servers.server(index).ask((jedis) -> jedis.keys("holdfast:{" + this.key + "}*"));
	}

	void awaitClean(int... indexes) {
		for (int index : indexes) {
			await().untilAsserted(() -> assertThat(keysOn(index)).isSubsetOf("holdfast:{" + this.key + "}:token",
					"holdfast:{" + this.key + "}:released"));
		}
	}

	long lasts(RedisProcess server) {
		return server.ask((jedis) -> jedis.pttl("holdfast:{" + this.key + "}"));
	}

	@Nullable String countOn(int index, String owner) {
		return servers.server(index).ask((jedis) -> jedis.hget("holdfast:{" + this.key + "}", owner));
	}

}
