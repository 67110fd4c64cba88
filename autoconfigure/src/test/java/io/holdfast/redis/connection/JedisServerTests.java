package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.holdfast.redis.connection.JedisServer.Lent;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Tag("slow")
@Tag("any-jdk")
class JedisServerTests {

	private final JedisServer server = new JedisServer(null, () -> null, 8);

	private void failToConnect() {
		assertThatExceptionOfType(JedisConnectionException.class)
			.isThrownBy(() -> this.server.borrow(false, true, () -> {
				throw new JedisConnectionException("refused");
			}));
	}

	@Test
	void thoseWhoWaitedConnectTogetherAfterTheFirst() {
		failToConnect();
		AtomicBoolean first = new AtomicBoolean(true);
		CountDownLatch together = new CountDownLatch(2);
		Connection connection = new Connection();
		List<CompletableFuture<Lent>> callers = Stream
			.generate(() -> Threads.start(() -> this.server.borrow(false, true, () -> {
				if (!first.getAndSet(false)) {
					together.countDown();
					Threads.await(together);
				}
				return connection;
			})))
			.limit(3)
			.toList();
		assertThat(callers).allSatisfy((caller) -> assertThat(Threads.join(caller)).isNotNull());
	}

	@Test
	void failureThatIsLongPastHoldsNoCallerUp() {
		failToConnect();
		long start = System.nanoTime();
		await().until(() -> System.nanoTime() - start > Duration.ofSeconds(11).toNanos());
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch connected = new CountDownLatch(1);
		CompletableFuture<Lent> slow = Threads.start(() -> this.server.borrow(false, true, () -> {
			begun.countDown();
			Threads.await(connected);
			return new Connection();
		}));
		Threads.await(begun);
		try {
			assertThat(this.server.borrow(false, true, Connection::new)).isNotNull();
		}
		finally {
			connected.countDown();
			Threads.join(slow);
		}
	}

}
