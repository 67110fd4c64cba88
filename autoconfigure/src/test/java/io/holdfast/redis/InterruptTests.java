package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockView;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.assertj.core.api.AbstractObjectAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Interrupts of a thread that waits for an answer of Redis.
 */
@Tag("any-jdk")
@Tag("slow")
class InterruptTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final String key = "k-" + UUID.randomUUID();

	private final LockRequest oneTry = LockRequest.of(this.key).waitFor(Duration.ZERO).ownedByHandle();

	static Stream<IntFunction<RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedis, Connections::lettuce, Connections::patientLettuce);
	}

	@ParameterizedTest
	@MethodSource("clients")
	void singleTryThatGetsNoAnswerIsInterrupted(IntFunction<RedisConnectionFactory> client) throws Exception {
		use(client, (instance) -> {
			redis.freeze();
			CompletableFuture<Boolean> caller = interruptedWhileItAsks(() -> {
				assertThatExceptionOfType(LockInterruptedException.class)
					.isThrownBy(() -> instance.template().tryAcquire(this.oneTry))
					.withMessageContaining("'" + this.key + "'");
				return Thread.interrupted();
			});
			assertThat(Threads.join(caller)).isTrue();
			redis.unfreeze();
			try (Jedis jedis = redis.connect()) {
				await().until(() -> !jedis.exists("holdfast:{" + this.key + "}"));
			}
		});
	}

	static Stream<IntFunction<RedisConnectionFactory>> patientClients() {
		return Stream.of(Connections::patientJedis, Connections::patientLettuce);
	}

	@ParameterizedTest
	@MethodSource("patientClients")
	void callerThatDoesNotPromiseToBeInterruptibleGetsItsAnswer(IntFunction<RedisConnectionFactory> client)
			throws Exception {
		use(client, (instance) -> {
			LockView lock = instance.registry().lock(this.key);
			assertThatIsAnswered(lock::isLocked).isEqualTo(false);
			assertThatIsAnswered(lock::hasQueuedThreads).isEqualTo(false);
			assertThatIsAnswered(() -> lock.tryLock() && lock.tryLock() && lock.extend(Duration.ofMinutes(1)))
				.isEqualTo(true);
			assertThatIsAnswered(() -> instance.registry().forceRelease(this.key)).isEqualTo(true);
			LockHandle handle = instance.template().acquire(LockRequest.of("other-" + this.key).ownedByHandle());
			assertThatIsAnswered(() -> handle.extend(Duration.ofMinutes(1))).isEqualTo(true);
			assertThatIsAnswered(handle::release).isEqualTo(ReleaseResult.RELEASED);
		});
	}

	/**
	 * One that was interrupted before, and is interrupted again while Redis hangs.
	 */
	private static <T> AbstractObjectAssert<?, T> assertThatIsAnswered(Callable<T> question) {
		redis.freeze();
		CompletableFuture<T> caller = interruptedWhileItAsks(() -> {
			Thread.currentThread().interrupt();
			T answer = question.call();
			assertThat(Thread.interrupted()).isTrue();
			return answer;
		});
		redis.unfreeze();
		return assertThat(Threads.join(caller));
	}

	/**
	 * The other one waits behind it, and its time is over before Redis is asked again.
	 */
	@Test
	void interruptOfOneCallerIsNoOutageForAnother() throws Exception {
		use(Connections::patientLettuce, (instance) -> {
			LockHandle shared = instance.template().acquire(this.oneTry.shared());
			List<CompletableFuture<Boolean>> others = new ArrayList<>();
			redis.freeze();
			CompletableFuture<Boolean> caller = interruptedWhileItAsks(() -> {
				assertThatExceptionOfType(LockInterruptedException.class)
					.isThrownBy(() -> instance.template().acquire(LockRequest.of(this.key).waitForever()));
				return Thread.interrupted();
			}, () -> {
				LockRequest brief = this.oneTry.waitFor(Duration.ofMillis(50));
				others.add(Threads.start(() -> instance.template().tryAcquire(brief).isPresent()));
				await().pollInterval(Duration.ofMillis(1))
					.until(() -> instance.registry().status().acquiring() == 2 || others.get(0).isDone());
			});
			assertThat(Threads.join(caller)).isTrue();
			redis.unfreeze();
			assertThat(others).singleElement().extracting(Threads::join).isEqualTo(false);
			assertThat(shared.release()).isEqualTo(ReleaseResult.RELEASED);
		});
	}

	@Test
	void interruptBeforeASingleTryIsNotWhyItGetsNoAnswer() throws Exception {
		use(Connections::lettuce, (instance) -> {
			redis.freeze();
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> instance.template().tryAcquire(this.oneTry));
			assertThat(Thread.interrupted()).isTrue();
		});
	}

	private static void use(IntFunction<RedisConnectionFactory> client, Consumer<TestInstance> test) throws Exception {
		RedisConnectionFactory connections = client.apply(redis.port());
		try (RedisLockStore store = new RedisLockStore(connections, "holdfast", Duration.ofHours(1), ReplicaAcks.NONE);
				TestInstance instance = new TestInstance((id) -> store)) {
			instance.template().acquire("before").close();
			test.accept(instance);
		}
		finally {
			redis.unfreeze();
			((DisposableBean) connections).destroy();
		}
	}

	private static <T> CompletableFuture<T> interruptedWhileItAsks(Callable<T> question) {
		return interruptedWhileItAsks(question, () -> {
		});
	}

	private static <T> CompletableFuture<T> interruptedWhileItAsks(Callable<T> question, Runnable meanwhile) {
		AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
		CompletableFuture<T> answer = Threads.start(() -> {
			thread.set(Thread.currentThread());
			return question.call();
		});
		await().until(() -> isAsking(thread.get()));
		meanwhile.run();
		thread.get().interrupt();
		return answer;
	}

	private static boolean isAsking(@Nullable Thread thread) {
		return thread != null && Arrays.stream(thread.getStackTrace())
			.anyMatch((frame) -> frame.getClassName().equals(LockScript.class.getName()));
	}

}
