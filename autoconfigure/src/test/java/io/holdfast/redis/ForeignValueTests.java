package io.holdfast.redis;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.holdfast.LockException;
import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Values of other programs where locks are kept.
 */
@Tag("any-jdk")
class ForeignValueTests {

	private static final String LOCK = "holdfast:{k}";

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final JedisConnectionFactory connections = Connections.jedis(redis.port());

	private final TestInstance instance = new TestInstance(
			(id) -> new RedisLockStore(this.connections, "holdfast", id, Duration.ofHours(1)));

	private final Jedis jedis = redis.connect();

	private final LockRequest oneTry = LockRequest.of("k").waitFor(Duration.ZERO);

	@AfterEach
	void close() {
		this.instance.close();
		this.connections.destroy();
		this.jedis.flushAll();
		this.jedis.close();
	}

	enum Foreign {

		STRING((jedis) -> jedis.set(LOCK, "rubbish")), LIST((jedis) -> jedis.rpush(LOCK, "rubbish")),
		TOKEN_LIST((jedis) -> jedis.rpush(LOCK + ":token", "rubbish")),
		TOKEN_TEXT((jedis) -> jedis.set(LOCK + ":token", "rubbish")),
		QUEUE((jedis) -> jedis.set(LOCK + ":queue", "rubbish"));

		private final Consumer<Jedis> write;

		Foreign(Consumer<Jedis> write) {
			this.write = write;
		}

	}

	@ParameterizedTest
	@EnumSource
	void isAnErrorThatNamesTheKeyAndStays(Foreign foreign) {
		foreign.write.accept(this.jedis);
		Map<String, byte[]> before = dump();
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> useLock().release())
			.withMessageContaining("'k'");
		assertThat(dump()).usingRecursiveComparison().isEqualTo(before);
		assertThat(this.instance.template().acquire("other").release()).isEqualTo(ReleaseResult.RELEASED);
	}

	private LockHandle useLock() {
		return this.instance.template().acquire(this.oneTry.fair());
	}

	private Map<String, byte[]> dump() {
		return this.jedis.keys(LOCK + "*")
			.stream()
			.collect(Collectors.toMap((key) -> key, (key) -> this.jedis.dump(key)));
	}

	@Test
	void whatWasGrantedTogetherWithItIsGivenBack() {
		this.jedis.set(LOCK + ":token", "rubbish");
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> this.instance.template().acquire(LockRequest.of("a", "k").waitFor(Duration.ZERO)))
			.withMessageContaining("'a'");
		await().until(() -> !this.jedis.exists("holdfast:{a}"));
		assertThat(this.jedis.get(LOCK + ":token")).isEqualTo("rubbish");
	}

	@ParameterizedTest
	@ValueSource(strings = { ":queue", ":deadlines", ":fair" })
	void waitingBesideItIsAnErrorThatNamesTheKey(String suffix) {
		LockHandle held = useLock();
		this.jedis.set(LOCK + suffix, "rubbish");
		try (TestInstance other = new TestInstance(
				(id) -> new RedisLockStore(this.connections, "holdfast", id, Duration.ofHours(1)))) {
			assertThatExceptionOfType(LockException.class)
				.isThrownBy(() -> other.template().acquire(LockRequest.of("k").fair().waitFor(Duration.ofSeconds(20))))
				.withMessageContaining("'k'")
				.isNotInstanceOf(LockNotAcquiredException.class);
		}
		assertThat(this.jedis.get(LOCK + suffix)).isEqualTo("rubbish");
		assertThat(held.isHeld()).isTrue();
	}

	@Test
	void hashOfAnotherProgramIsALockThatIsHeld() {
		this.jedis.hset(LOCK, Map.of("some", "field", "mode", "rubbish", "token", "rubbish"));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this::useLock)
			.withMessageContaining("'k'");
		assertThat(this.jedis.hgetAll(LOCK)).hasSize(3).containsEntry("some", "field");
	}

}
