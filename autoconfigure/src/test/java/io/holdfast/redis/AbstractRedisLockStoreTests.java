package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * A store on one Redis, and what is in there.
 */
abstract class AbstractRedisLockStoreTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	static final String LOCK = "holdfast:{k}";

	static final Duration LEASE = Duration.ofSeconds(30);

	/**
	 * For how long a place in a queue is kept: longer than any of the tests.
	 */
	static final Duration KEPT = Duration.ofMinutes(2);

	JedisConnectionFactory connections;

	Jedis jedis;

	RedisLockStore store;

	final List<TestInstance> instances = new ArrayList<>();

	@BeforeEach
	void connect() {
		this.connections = Connections.patientJedis(redis.port());
		this.jedis = redis.connect();
		this.jedis.flushAll();
		this.store = newStore();
	}

	@AfterEach
	void disconnect() {
		this.instances.forEach(TestInstance::close);
		this.store.stopListening();
		this.jedis.close();
		this.connections.destroy();
	}

	RedisLockStore newStore() {
		return RedisStores.open(this.connections);
	}

	TestInstance newInstance() {
		TestInstance instance = new TestInstance((id) -> newStore());
		this.instances.add(instance);
		return instance;
	}

	Outcome claim(String owner, long number, String place) {
		return this.store.acquire(claimOf(owner, number, place));
	}

	/**
	 * Create a claim of an owner, whose name no other owner's has.
	 */
	static Claim claimOf(String owner, long number, String place) {
		long unique = 1000L * owner.charAt(owner.length() - 1) + number;
		return Claims.exclusive("k", owner, LEASE, unique, (place != null) ? new QueuePlace(place, KEPT) : null);
	}

	HoldId hold(String owner) {
		return new HoldId("k", owner, tokenOf(claim(owner, 0, null)));
	}

	static long tokenOf(Outcome outcome) {
		return ((Granted) outcome).grants().get(0).token();
	}

	static long tokenOf(HoldId hold) {
		return hold.grants().get(0).token();
	}

	Transfer transfer(HoldId hold, String successor, boolean yield) {
		return this.store.transfer(hold, claimOf(successor, 0, successor + "#1"), yield);
	}

}
