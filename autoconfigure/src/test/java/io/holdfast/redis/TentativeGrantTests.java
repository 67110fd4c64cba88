package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a node of a quorum does with grants that do not count yet.
 */
class TentativeGrantTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	@RegisterExtension
	static final RedisProcess server = new RedisProcess();

	private static JedisConnectionFactory connections;

	private final String key = "k-" + UUID.randomUUID();

	private final SlotLocks locks = new SlotLocks(new RedisClient(connections), new LockKeys("holdfast"),
			Duration.ofHours(1), ReplicaAcks.NONE);

	@BeforeAll
	static void connect() {
		connections = Connections.jedis(server.port());
	}

	@AfterAll
	static void disconnect() {
		connections.destroy();
	}

	private Claim claim(String owner) {
		return Claims.exclusive(this.key, owner, LEASE, 0, null);
	}

	private List<Grant> grants(Claim claim) {
		return ((Granted) this.locks.acquireTentatively(claim)).grants();
	}

	private static long token(List<Grant> grants) {
		return grants.get(0).token();
	}

	@Test
	void anotherAttemptIsGivenAnotherToken() {
		List<Grant> first = grants(claim("one:1"));
		assertThat(token(grants(claim("one:1")))).isGreaterThan(token(first));
	}

	@Test
	void anotherAttemptIsGivenTheTokenThatCounts() {
		List<Grant> first = grants(claim("one:1"));
		assertThat(this.locks.confirm(claim("one:1"), first, first)).isTrue();
		assertThat(grants(claim("one:1"))).isEqualTo(first);
	}

}
