package io.holdfast.redis;

import java.time.Duration;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.exceptions.JedisDataException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis whose memory is full, and what it removes then.
 */
@Tag("any-jdk")
class EvictionTests extends AbstractRedisLockStoreTests {

	private TestInstance instance;

	@BeforeEach
	void startInstance() {
		this.instance = newInstance();
	}

	@AfterEach
	void allowAllMemory() {
		this.jedis.configSet("maxmemory", "0");
	}

	@ParameterizedTest
	@CsvSource({ "volatile-ttl, LOST", "volatile-lru, LOST", "allkeys-lru, LOST", "noeviction, RELEASED" })
	void heldLockIsLostWhereItCanBeEvicted(String policy, ReleaseResult result) {
		LockHandle lock = this.instance.registry().acquireOrThrow(LockRequest.of("k").lease(Duration.ofMinutes(10)));
		limitMemory(policy);
		fillMemory();
		assertThat(lock.release()).isEqualTo(result);
	}

	/**
	 * With keys that do not expire, while there is space and the lock.
	 */
	private void fillMemory() {
		try {
			for (int i = 0; i < 1000 && this.jedis.exists(LOCK); i++) {
				this.jedis.set("other-" + i, "x".repeat(100_000));
			}
		}
		catch (JedisDataException ex) {
			assertThat(ex).hasMessageContaining("OOM");
		}
	}

	private void limitMemory(String policy) {
		String used = this.jedis.info("memory")
			.lines()
			.filter((line) -> line.startsWith("used_memory:"))
			.findFirst()
			.orElseThrow()
			.substring("used_memory:".length());
		this.jedis.configSet("maxmemory-policy", policy);
		this.jedis.configSet("maxmemory", String.valueOf(Long.parseLong(used.strip()) + 2_000_000));
	}

}
