package io.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockConnectionFactory;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What callers see when Redis dies or freezes.
 */
@Tag("slow")
class RedisOutageTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(4);

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
		TestInstance created = new TestInstance(
				(id) -> new RedisLockStore(this.connections, "holdfast", Duration.ofHours(24), ReplicaAcks.NONE));
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
	void resultOfTheMethodArrivesWhenRedisStopsMeanwhile(Outage outage) {
		long start = System.nanoTime();
		String result = this.instance.template().execute("k", (lock) -> {
			outage.action.accept(this.redis);
			return "result";
		});
		assertThat(result).isEqualTo("result");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PROMPTLY);
		assertThat(this.instance.events().released()).containsExactly(ReleaseResult.PENDING);
	}

	@ParameterizedTest
	@EnumSource
	void exceptionOfTheMethodArrivesWhenRedisStopsMeanwhile(Outage outage) {
		IllegalStateException own = new IllegalStateException("business");
		long start = System.nanoTime();
		assertThatIllegalStateException().isThrownBy(() -> this.instance.template().execute("k", (lock) -> {
			outage.action.accept(this.redis);
			throw own;
		})).isSameAs(own);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PROMPTLY);
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
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(time.plusSeconds(3));
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

	@Test
	void waitWithoutLimitDoesNotWaitForADeadRedis() {
		this.redis.kill();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.instance.registry().lock("k").lock());
	}

	@Test
	void interruptWhileWaitingForAConnectionEndsTheWaitForTheLock() {
		JedisConnectionFactory single = Connections.jedis(this.redis.port(), 1, Duration.ofSeconds(20));
		LockConnectionFactory own = LockClient.connectionsLike(single, 1);
		TestInstance starved = new TestInstance(
				(id) -> new RedisLockStore(own, "holdfast", Duration.ofHours(24), ReplicaAcks.NONE));
		this.instances.add(starved);
		CompletableFuture<String> outcome = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				starved.template().acquire("k");
				outcome.complete("acquired");
			}
			catch (RuntimeException ex) {
				outcome.complete(ex.getClass().getSimpleName() + " " + Thread.currentThread().isInterrupted());
			}
		});
		CompletableFuture<Object> taken = Threads
			.start(() -> own.getConnection().listCommands().bLPop(20, "nothing".getBytes(StandardCharsets.UTF_8)));
		try (Jedis jedis = this.redis.connect()) {
			await().until(() -> jedis.info("clients").contains("blocked_clients:1"));
			thread.start();
			await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
			await().until(() -> {
				thread.interrupt(); // one that comes between two attempts is noticed
									// after the second
				return outcome.isDone();
			});
			assertThat(Threads.join(outcome)).isEqualTo("LockInterruptedException true");
			assertThat(taken).isNotDone();
			jedis.rpush("nothing", "something");
			assertThat(Threads.join(taken)).isNotNull();
		}
		starved.close();
		own.destroy();
		single.destroy();
	}

	@Test
	void waitersHoldNoConnection() {
		JedisConnectionFactory two = Connections.jedis(this.redis.port(), 2);
		TestInstance small = new TestInstance(
				(id) -> new RedisLockStore(two, "holdfast", Duration.ofHours(24), ReplicaAcks.NONE));
		this.instances.add(small);
		LockHandle handle = this.instance.template().acquire("k0");
		LockHandle own = small.template().acquire("k1");
		List<CompletableFuture<ReleaseResult>> waiters = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			String key = "k" + i % 2;
			waiters.add(Threads.start(() -> small.template().acquire(key).release()));
		}
		await().until(() -> small.registry().status().acquiring() == 20);
		assertThat(own.release()).isEqualTo(ReleaseResult.RELEASED);
		handle.close();
		waiters.forEach((waiter) -> assertThat(Threads.join(waiter)).isEqualTo(ReleaseResult.RELEASED));
		small.close();
		two.destroy();
	}

}
