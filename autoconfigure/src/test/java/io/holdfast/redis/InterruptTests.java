package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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
import io.holdfast.redis.connection.LockClient;
import io.holdfast.test.Client;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.assertj.core.api.AbstractObjectAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

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

	/**
	 * After each, the next caller first settles what the one before has left.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void singleTriesThatGetNoAnswerAreInterrupted(Client client) {
		use(client.connect(redis.port()), (instance) -> {
			redis.freeze();
			for (int i = 0; i < 3; i++) {
				CompletableFuture<Boolean> caller = interruptedWhileItAsks(() -> {
					assertThatExceptionOfType(LockInterruptedException.class)
						.isThrownBy(() -> tryUntilRedisIsAsked(instance))
						.withMessageContaining("'" + this.key + "'");
					return Thread.interrupted();
				});
				assertThatIsSoonTrue(caller);
			}
			redis.unfreeze();
			redis.with((jedis) -> await().until(() -> !jedis.exists("holdfast:{" + this.key + "}")));
		});
	}

	/**
	 * After a failure to connect, Redis is not asked for a moment.
	 */
	private void tryUntilRedisIsAsked(TestInstance instance) {
		while (true) {
			try {
				instance.template().tryAcquire(this.oneTry);
			}
			catch (LockUnavailableException ex) {
				assertThat(ex).isNotInstanceOf(LockInterruptedException.class);
			}
		}
	}

	static Stream<IntFunction<RedisConnectionFactory>> patientClients() {
		return Stream.of(Connections::patientJedis, InterruptTests::jedisWithOneConnection,
				Connections::patientLettuce);
	}

	private static RedisConnectionFactory jedisWithOneConnection(int port) {
		return Connections.jedis(port, 1, Duration.ofMinutes(1));
	}

	@ParameterizedTest
	@MethodSource("patientClients")
	void callerThatDoesNotPromiseToBeInterruptibleGetsItsAnswer(IntFunction<RedisConnectionFactory> client) {
		use(client.apply(redis.port()), (instance) -> {
			LockView lock = instance.registry().lock(this.key);
			assertThatIsAnswered(instance, lock::isLocked).isEqualTo(false);
			assertThatIsAnswered(instance, lock::hasQueuedThreads).isEqualTo(false);
			assertThatIsAnswered(instance, () -> instance.store().view().heldKeys(10, Duration.ofSeconds(5)).keys())
				.isEqualTo(Set.of());
			assertThatIsAnswered(instance, () -> lock.tryLock() && lock.tryLock() && lock.extend(Duration.ofMinutes(1)))
				.isEqualTo(true);
			assertThatIsAnswered(instance, () -> instance.registry().forceRelease(this.key)).isEqualTo(true);
			LockHandle handle = instance.template().acquire(LockRequest.of("other-" + this.key).ownedByHandle());
			assertThatIsAnswered(instance, () -> handle.extend(Duration.ofMinutes(1))).isEqualTo(true);
			assertThatIsAnswered(instance, handle::release).isEqualTo(ReleaseResult.RELEASED);
		});
	}

	/**
	 * One that was interrupted before, and is interrupted again while Redis hangs and
	 * another caller has a connection.
	 */
	private static <T> AbstractObjectAssert<?, T> assertThatIsAnswered(TestInstance instance, Callable<T> question) {
		redis.freeze();
		CompletableFuture<Boolean> other = whileItAsks(() -> instance.registry().lock("other").isLocked(), (thread) -> {
		});
		CompletableFuture<T> caller = interruptedWhileItAsks(() -> {
			Thread.currentThread().interrupt();
			T answer = question.call();
			assertThat(Thread.interrupted()).isTrue();
			return answer;
		});
		redis.unfreeze();
		assertThat(Threads.join(other)).isFalse();
		return assertThat(Threads.join(caller));
	}

	/**
	 * The other one waits behind it, and its time is over before Redis is asked again.
	 */
	@Test
	void interruptOfOneCallerIsNoOutageForAnother() {
		use(Connections.patientLettuce(redis.port()), (instance) -> {
			LockHandle shared = instance.template().acquire(this.oneTry.shared());
			List<CompletableFuture<Boolean>> others = new ArrayList<>();
			redis.freeze();
			CompletableFuture<Boolean> caller = whileItAsks(() -> {
				assertThatExceptionOfType(LockInterruptedException.class)
					.isThrownBy(() -> instance.template().acquire(LockRequest.of(this.key).waitForever()));
				return Thread.interrupted();
			}, (thread) -> {
				LockRequest brief = this.oneTry.waitFor(Duration.ofMillis(50));
				others.add(Threads.start(() -> instance.template().tryAcquire(brief).isPresent()));
				await().pollInterval(Duration.ofMillis(1))
					.until(() -> instance.registry().status().acquiring() == 2 || others.get(0).isDone());
				thread.interrupt();
			});
			assertThat(Threads.join(caller)).isTrue();
			redis.unfreeze();
			assertThat(others).singleElement().extracting(Threads::join).isEqualTo(false);
			assertThat(shared.release()).isEqualTo(ReleaseResult.RELEASED);
		});
	}

	@Test
	void interruptBeforeASingleTryIsNotWhyItGetsNoAnswer() {
		use(Connections.lettuce(redis.port()), (instance) -> {
			redis.freeze();
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> instance.template().tryAcquire(this.oneTry));
			assertThat(Thread.interrupted()).isTrue();
		});
	}

	private static void use(RedisConnectionFactory connections, Consumer<TestInstance> test) {
		RedisStores.use(connections, (instance) -> {
			instance.template().acquire("before").close();
			try {
				test.accept(instance);
			}
			finally {
				redis.unfreeze();
			}
		});
	}

	private static <T> CompletableFuture<T> interruptedWhileItAsks(Callable<T> question) {
		return whileItAsks(question, Thread::interrupt);
	}

	private static <T> CompletableFuture<T> whileItAsks(Callable<T> question, Consumer<Thread> meanwhile) {
		AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
		CompletableFuture<T> answer = Threads.start(() -> {
			thread.set(Thread.currentThread());
			return question.call();
		});
		await().until(() -> isAsking(thread.get()));
		meanwhile.accept(Objects.requireNonNull(thread.get()));
		return answer;
	}

	/**
	 * Long before a patient client gives up.
	 */
	private static void assertThatIsSoonTrue(CompletableFuture<Boolean> caller) {
		await().until(caller::isDone);
		assertThat(Threads.join(caller)).isTrue();
	}

	private static boolean isAsking(@Nullable Thread thread) {
		return thread != null && Arrays.stream(thread.getStackTrace())
			.anyMatch((frame) -> frame.getClassName().equals(LockClient.class.getName()));
	}

}
