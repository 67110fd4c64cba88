package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What callers see when Redis dies or freezes.
 */
@Tag("slow")
class RedisOutageTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(6);

	private static final Duration PROMPTLY = Duration.ofSeconds(10);

	private final RedisProcess redis = new RedisProcess();

	private final List<TestInstance> instances = new ArrayList<>();

	private JedisConnectionFactory connections;

	private TestInstance instance;

	@BeforeEach
	void start() {
		this.redis.start();
		this.connections = Connections.jedis(this.redis.port());
		this.instance = newInstance();
	}

	private TestInstance newInstance() {
		TestInstance created = RedisStores.instance(this.connections);
		this.instances.add(created);
		return created;
	}

	@AfterEach
	void stop() {
		this.redis.close();
		this.instances.forEach(TestInstance::close);
		this.connections.destroy();
	}

	enum Outage {

		KILLED(RedisProcess::kill), FROZEN(RedisProcess::freeze);

		private final Consumer<RedisProcess> action;

		Outage(Consumer<RedisProcess> action) {
			this.action = action;
		}

	}

	@ParameterizedTest
	@EnumSource
	void outcomeOfTheMethodArrivesWhenRedisStopsMeanwhile(Outage outage) {
		IllegalStateException own = new IllegalStateException("business");
		long start = System.nanoTime();
		assertThatIllegalStateException().isThrownBy(() -> this.instance.template().execute("k", (failing) -> {
			String result = this.instance.template().execute("l", (lock) -> {
				outage.action.accept(this.redis);
				return "result";
			});
			assertThat(result).isEqualTo("result");
			throw own;
		})).isSameAs(own);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PROMPTLY);
		assertThat(this.instance.events().released()).containsExactly(ReleaseResult.PENDING, ReleaseResult.PENDING);
	}

	/**
	 * The client does not give up a request earlier, and makes no connection for a caller
	 * who has waited.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 0, 2 })
	void waitIsLongerByOneRequestWithoutAnAnswerAtMost(int seconds) {
		LockTemplate patient = patientTemplate();
		LockRequest request = LockRequest.of("k").waitFor(Duration.ofSeconds(seconds));
		patient.acquire("k").release();
		this.redis.freeze();
		assertThatIsUnavailableWithin(request.waitFor().plus(TIMEOUT), () -> patient.acquire(request));
	}

	@Test
	void renewalWithoutAnAnswerTakesNoLongerThanTheClient() {
		LockHandle held = patientTemplate().acquire("k");
		this.redis.freeze();
		assertThatIsUnavailableWithin(TIMEOUT, () -> held.extend(Duration.ofMinutes(1)));
	}

	private LockTemplate patientTemplate() {
		this.connections.destroy();
		this.connections = Connections.jedis(this.redis.port(), 8, TIMEOUT);
		return newInstance().template();
	}

	private static void assertThatIsUnavailableWithin(Duration time, ThrowingCallable question) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(question);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(time.plusSeconds(5));
	}

	@ParameterizedTest
	@EnumSource
	void acquiringEndsWithAClearExceptionWhenRedisIsOut(Outage outage) {
		outage.action.accept(this.redis);
		long start = System.nanoTime();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.instance.template().acquire(LockRequest.of("k").waitFor(Duration.ofMillis(500))))
			.withMessageContaining("'k'");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PROMPTLY);
	}

}
