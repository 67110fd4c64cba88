package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What operators see of what is in Redis, be it ours or not.
 */
class RedisViewTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final JedisConnectionFactory connections = Connections.jedis(redis.port());

	private final TestInstance instance = instance("holdfast");

	private final StoreView view = this.instance.registry().view();

	private Jedis jedis;

	private TestInstance instance(String prefix) {
		return new TestInstance((id) -> new RedisLockStore(this.connections, prefix, id, Duration.ofHours(1)));
	}

	@BeforeEach
	void connect() {
		this.jedis = redis.connect();
		this.jedis.flushAll();
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.jedis.close();
		this.connections.destroy();
	}

	@Test
	void hashesThatAreNoLocksAreNeitherSeenNorTakenAway() {
		this.jedis.hset("holdfast:{k}", Map.of("mode", "exclusive", "colour", "blue"));
		this.jedis.hset("holdfast:{l}", Map.of("token", "12", "mode", "upside down", "x:1", "1"));
		assertThat(this.view.look(List.of("k", "l"))).isEmpty();
		assertThat(this.instance.registry().takeAway("k")).isNull();
		assertThat(this.instance.registry().takeAway("l")).isNull();
		assertThat(this.jedis.hlen("holdfast:{k}")).isEqualTo(2);
		assertThat(this.jedis.hlen("holdfast:{l}")).isEqualTo(3);
	}

	@Test
	void valueOfAnotherTypeIsAnErrorThatNamesTheKey() {
		this.jedis.set("holdfast:{k}", "mine");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.view.look(List.of("k")))
			.withMessageContainingAll("'k'", "WRONGTYPE");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.instance.registry().takeAway("k"))
			.withMessageContainingAll("'k'", "WRONGTYPE");
		assertThat(this.jedis.get("holdfast:{k}")).isEqualTo("mine");
		assertThat(this.view.heldKeys(10).keys()).isEmpty();
	}

	@Test
	void grantsThatDoNotCountYetAreNotSeen() {
		this.jedis.hset("holdfast:{k}", Map.of("token", "12", "mode", "exclusive", "x:1", "0"));
		assertThat(this.view.look(List.of("k"))).isEmpty();
	}

	@Test
	void holdersWithoutEndAreSeen() {
		this.jedis.hset("holdfast:{k}", Map.of("token", "12", "mode", "exclusive", "x:1", "1"));
		KeyState state = this.view.look(List.of("k")).get(0);
		assertThat(state.holders().get(0).remaining()).isNegative();
	}

	@Test
	void sharesThatHaveRunOutAreNotSeen() {
		this.jedis.hset("holdfast:{k}", Map.of("token", "12", "mode", "shared", "x:1", "1", "x:2", "1"));
		long now = Long.parseLong(this.jedis.time().get(0)) * 1000;
		this.jedis.zadd("holdfast:{k}:shares", now - 1_000, "11@x:1");
		this.jedis.zadd("holdfast:{k}:shares", now + 60_000, "12@x:2");
		assertThat(this.view.look(List.of("k")).get(0).holders()).extracting((holder) -> holder.owner())
			.containsExactly("x:2");
		assertThat(this.jedis.hlen("holdfast:{k}")).as("looking changes nothing").isEqualTo(4);
	}

	@Test
	void fewLocksAreFoundAmongManyOtherKeys() {
		try (Pipeline pipeline = this.jedis.pipelined()) {
			for (int i = 0; i < 20_000; i++) {
				pipeline.set("other:" + i, "x");
			}
		}
		this.instance.template().acquire(LockRequest.of("a", "b"));
		this.instance.registry().view().announce(Map.of("host", "h"), Duration.ofMinutes(1));
		assertThat(this.view.heldKeys(10).keys()).containsExactlyInAnyOrder("a", "b");
		assertThat(this.view.heldKeys(10).more()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "h*", "h?d", "[a-z]", "h^]", "back\\slash" })
	void prefixIsTakenLiterally(String prefix) {
		LockHandle other = this.instance.template().acquire("k");
		try (TestInstance odd = instance(prefix)) {
			assertThat(odd.registry().view().heldKeys(10).keys()).isEmpty();
			odd.template().acquire("mine");
			assertThat(odd.registry().view().heldKeys(10).keys()).containsExactly("mine");
		}
		assertThat(this.view.heldKeys(10).keys()).containsExactly("k");
		other.release();
	}

	@Test
	void whatIsAnnouncedExpires() {
		this.view.announce(Map.of("host", "h"), Duration.ofMinutes(1));
		String hash = "holdfast:instance:" + this.instance.id();
		assertThat(this.jedis.hgetAll(hash)).isEqualTo(Map.of("host", "h"));
		assertThat(this.jedis.pttl(hash)).isBetween(50_000L, 60_000L);
	}

}
