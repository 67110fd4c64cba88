package io.holdfast.redis;

import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.Supplier;

import io.holdfast.engine.DaemonThreads;
import io.holdfast.engine.LockStore;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockConnectionFactory;
import io.holdfast.test.Connections;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RecordedLog.Line;
import io.holdfast.test.RecordingWakeUps;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

@Tag("slow")
class WakeUpSubscriptionTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static final LockKeys KEYS = new LockKeys("holdfast");

	private static final ThreadFactory THREADS = DaemonThreads.named("holdfast-wake-up");

	private final RecordingWakeUps wakeUps = new RecordingWakeUps();

	private final List<Closing> opened = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (Closing closing : this.opened) {
			closing.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void hearsWhichPlaceIsToTryWhichKey(Client client) {
		WakeUpSubscription subscription = open(client);
		await().until(() -> subscription.state() == LockStore.Subscription.ACTIVE);
		try (Jedis jedis = redis.connect()) {
			jedis.publish("holdfast:wake:me", "7,shared a key");
			jedis.publish("holdfast:wake:me", "nothing-to-try");
			jedis.publish("holdfast:wake:other", "8 a key");
			jedis.publish("holdfast:wake:me", "? a key");
			jedis.publish("holdfast:wake:me", "?fair a key");
			jedis.publish("holdfast:wake:me", "9 last");
		}
		await().until(() -> this.wakeUps.messages().contains("last@me:9"));
		assertThat(this.wakeUps.messages()).containsExactly("a key@me:7,shared", "a key is wanted",
				"a key is wanted next", "last@me:9");
	}

	@ParameterizedTest
	@EnumSource
	void wakesAllWheneverItIsSubscribedAgain(Client client) {
		WakeUpSubscription subscription = open(client);
		await().until(() -> this.wakeUps.all() == 1);
		assertThat(subscription.state()).isEqualTo(LockStore.Subscription.ACTIVE);
		try (Jedis jedis = redis.connect()) {
			jedis.clientKill(new ClientKillParams().type(ClientType.PUBSUB));
		}
		await().atMost(Duration.ofSeconds(30)).until(() -> this.wakeUps.all() > 1);
		assertThat(subscription.state()).isEqualTo(LockStore.Subscription.ACTIVE);
	}

	@ParameterizedTest
	@EnumSource
	void isBrokenWhileThereIsNoServer(Client client) {
		redis.kill();
		try (RecordedLog log = new RecordedLog()) {
			WakeUpSubscription subscription = open(client);
			try {
				await().until(() -> subscription.state() == LockStore.Subscription.BROKEN);
				assertThat(this.wakeUps.all()).isEqualTo(0);
			}
			finally {
				redis.start();
			}
			await().until(() -> this.wakeUps.all() == 1);
			assertThat(subscription.state()).isEqualTo(LockStore.Subscription.ACTIVE);
			assertThat(log.lines("ubscribed to holdfast:wake:me")).noneMatch(Line::hasTrace)
				.allSatisfy((line) -> assertThat(line.values()).containsOnly(entry("channel", "holdfast:wake:me")))
				.extracting(Line::level)
				.containsExactly("WARN", "INFO");
		}
	}

	/**
	 * Its connection stays open. It may be given up in the moment in which the server
	 * goes on: what is published then is not heard, and all waiters are woken.
	 */
	@ParameterizedTest
	@EnumSource
	void isBrokenWhileTheServerHangs(Client client) {
		WakeUpSubscription subscription = open(client);
		await().until(() -> subscription.state() == LockStore.Subscription.ACTIVE);
		redis.freeze();
		try {
			await().until(() -> subscription.state() == LockStore.Subscription.BROKEN);
		}
		finally {
			redis.unfreeze();
		}
		await().until(() -> subscription.state() == LockStore.Subscription.ACTIVE);
		try (Jedis publisher = redis.connect()) {
			await().until(() -> {
				publisher.publish("holdfast:wake:me", "7 a key");
				return this.wakeUps.messages().contains("a key@me:7");
			});
		}
	}

	/**
	 * On its way, just there, or there for some time.
	 */
	@ParameterizedTest
	@EnumSource
	@Timeout(60)
	void canBeClosedAtAnyMoment(Client client) throws Exception {
		Set<Thread> others = Threads.named("holdfast-wake-up");
		for (int i = 0; i < 50; i++) {
			open(client);
			LockSupport.parkNanos(i * 200_000L);
			this.opened.remove(0).close();
		}
		await().untilAsserted(() -> {
			try (Jedis jedis = redis.connect()) {
				assertThat(jedis.pubsubNumSub("holdfast:wake:me")).containsEntry("holdfast:wake:me", 0L);
			}
			assertThat(Threads.named("holdfast-wake-up", others)).isEmpty();
		});
	}

	/**
	 * Lettuce waits for its connection, and for ever once the application has closed all
	 * of them.
	 */
	@Test
	@Timeout(60)
	void endsAlsoWhileTheServerDoesNotAnswer() throws Exception {
		Set<Thread> others = Threads.named("holdfast-wake-up");
		try (ServerSocket silent = new ServerSocket(0)) {
			LettuceConnectionFactory connections = Connections.patientLettuce(silent.getLocalPort());
			WakeUpChannel channel = new WakeUpChannel(connections, KEYS);
			channel.open("me", this.wakeUps);
			try (Socket asked = silent.accept()) {
				channel.close();
				await().until(() -> Threads.named("holdfast-wake-up", others).isEmpty());
				assertThat(asked.isConnected()).isTrue();
			}
			connections.destroy();
		}
	}

	/**
	 * With Jedis, the connection of the subscription is one of the application's pool.
	 */
	@ParameterizedTest
	@EnumSource
	void endLeavesNothingInTheApplicationsConnections(Client client) throws Exception {
		RedisConnectionFactory connections = client.connections.apply(redis.port());
		this.opened.add(((DisposableBean) connections)::destroy);
		AtomicBoolean stopped = new AtomicBoolean();
		CompletableFuture<Integer> application = Threads.start(() -> {
			int asked = 0;
			while (!stopped.get()) {
				byte[] text = Integer.toString(asked++).getBytes(StandardCharsets.US_ASCII);
				try (RedisConnection connection = connections.getConnection()) {
					assertThat(connection.echo(text)).isEqualTo(text);
				}
			}
			return asked;
		});
		try {
			for (int i = 0; i < 100 && !application.isDone(); i++) {
				WakeUpSubscription subscription = new WakeUpSubscription(connections, KEYS, "me", this.wakeUps,
						THREADS);
				subscription.start();
				await().pollInterval(Duration.ofMillis(1))
					.until(() -> subscription.state() == LockStore.Subscription.ACTIVE);
				subscription.close();
			}
		}
		finally {
			stopped.set(true);
		}
		assertThat(Threads.join(application)).isGreaterThan(100);
	}

	@Test
	void errorOfWhoIsToldLeavesNoConnectionSubscribed() {
		JedisConnectionFactory jedis = Connections.patientJedis(redis.port());
		LockConnectionFactory connections = LockClient.connectionsLike(jedis, 2);
		this.opened.add(connections::destroy);
		this.opened.add(jedis::destroy);
		this.wakeUps.fail(new OutOfMemoryError("for a test"));
		WakeUpSubscription subscription = new WakeUpSubscription(connections, KEYS, "me", this.wakeUps, THREADS);
		this.opened.add(0, subscription::close);
		subscription.start();
		await().until(() -> subscription.state() == LockStore.Subscription.ACTIVE);
		try (Jedis publisher = redis.connect()) {
			publisher.publish("holdfast:wake:me", "7 a key");
			await().until(() -> this.wakeUps.all() > 1);
			assertThat(subscription.state()).isEqualTo(LockStore.Subscription.ACTIVE);
			await().until(() -> publisher.pubsubNumSub("holdfast:wake:me").get("holdfast:wake:me") == 1);
		}
		try (RedisConnection connection = connections.getConnection()) {
			assertThat(connection.ping()).isEqualTo("PONG");
		}
	}

	@Test
	void errorOfWhoIsToldDoesNotEndTheSubscription() {
		WakeUpSubscription subscription = open(Client.LETTUCE);
		await().until(() -> subscription.state() == LockStore.Subscription.ACTIVE);
		this.wakeUps.fail(new OutOfMemoryError("for a test"));
		try (Jedis publisher = redis.connect()) {
			publisher.publish("holdfast:wake:me", "7 a key");
			await().until(() -> !this.wakeUps.messages().isEmpty());
			this.wakeUps.fail(null);
			await().until(() -> {
				publisher.publish("holdfast:wake:me", "8 another key");
				return this.wakeUps.messages().contains("another key@me:8");
			});
		}
	}

	@Test
	void errorBeforeTheSubscriptionIsThereDoesNotEndIt() {
		JedisConnectionFactory jedis = Connections.jedis(redis.port());
		this.opened.add(jedis::destroy);
		DisturbedConnections connections = new DisturbedConnections(jedis, (call) -> {
			if (call == 1) {
				throw new StackOverflowError("for a test");
			}
		});
		WakeUpSubscription subscription = new WakeUpSubscription(connections, KEYS, "me", this.wakeUps, THREADS);
		this.opened.add(0, subscription::close);
		subscription.start();
		await().until(() -> subscription.state() == LockStore.Subscription.ACTIVE);
	}

	private WakeUpSubscription open(Client client) {
		RedisConnectionFactory connections = client.connections.apply(redis.port());
		WakeUpSubscription subscription = new WakeUpSubscription(connections, KEYS, "me", this.wakeUps, THREADS);
		this.opened.add(() -> {
			subscription.close();
			((DisposableBean) connections).destroy();
		});
		subscription.start();
		return subscription;
	}

	enum Client {

		JEDIS(Connections::patientJedis), LETTUCE(Connections::patientLettuce),

		/** With connections of its own. */
		OWN_JEDIS((port) -> LockClient.connectionsByJedis(new RedisStandaloneConfiguration("127.0.0.1", port),
				constant(JedisClientConfiguration.defaultConfiguration()), 8)),

		/** With connections of its own. */
		OWN_LETTUCE((port) -> LockClient.connectionsByLettuce(new RedisStandaloneConfiguration("127.0.0.1", port),
				constant(LettuceClientConfiguration.defaultConfiguration())));

		private final IntFunction<RedisConnectionFactory> connections;

		private static <T> Supplier<T> constant(T value) {
			return () -> value;
		}

		Client(IntFunction<RedisConnectionFactory> connections) {
			this.connections = connections;
		}

	}

	private interface Closing {

		void close() throws Exception;

	}

}
