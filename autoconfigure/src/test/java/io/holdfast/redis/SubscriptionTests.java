package io.holdfast.redis;

import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.test.Client;
import io.holdfast.test.Connections;
import io.holdfast.test.DisturbedConnections;
import io.holdfast.test.Inherited;
import io.holdfast.test.RecordedLog;
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

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What an instance hears of its locks.
 */
@Tag("slow")
class SubscriptionTests {

	private static final String CHANNEL = "holdfast:wake:me";

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final RecordingWakeUps wakeUps = new RecordingWakeUps();

	private final List<Runnable> opened = new ArrayList<>();

	@AfterEach
	void close() {
		this.opened.forEach(Runnable::run);
	}

	private RedisLockStore open(RedisConnectionFactory connections) {
		RedisLockStore store = RedisStores.open(connections);
		this.opened.add(() -> {
			store.stopListening();
			store.close();
			RedisStores.disconnect(connections);
		});
		return store;
	}

	private RedisLockStore listen(RedisConnectionFactory connections) {
		RedisLockStore store = open(connections);
		store.listen("me", this.wakeUps);
		return store;
	}

	private static void publish(String... messages) {
		try (Jedis jedis = redis.connect()) {
			for (String message : messages) {
				jedis.publish(CHANNEL, message);
			}
		}
	}

	/**
	 * All waiters are woken whenever it begins to hear: also when it hears again.
	 */
	@ParameterizedTest
	@EnumSource
	void hearsWhichPlaceIsToTryWhichKey(Client client) {
		RedisLockStore store = listen(client.connectPatiently(redis.port()));
		await().until(() -> this.wakeUps.all() == 1);
		assertThat(store.subscription()).isEqualTo(Subscription.ACTIVE);
		publish("7,shared a key", "nothing-to-try", "? a key", "?fair a key", "9 last");
		await().until(() -> this.wakeUps.messages().contains("last@me:9"));
		assertThat(this.wakeUps.messages()).containsExactly("a key@me:7,shared", "a key is wanted",
				"a key is wanted next", "last@me:9");
		redis.with((jedis) -> jedis.clientKill(new ClientKillParams().type(ClientType.PUBSUB)));
		await().until(() -> this.wakeUps.all() > 1);
		assertThat(store.subscription()).isEqualTo(Subscription.ACTIVE);
	}

	@ParameterizedTest
	@EnumSource
	void isBrokenWhileThereIsNoServer(Client client) {
		redis.kill();
		try (RecordedLog log = new RecordedLog()) {
			RedisLockStore store = listen(client.connectPatiently(redis.port()));
			try {
				await().until(() -> store.subscription() == Subscription.BROKEN);
				assertThat(this.wakeUps.all()).isEqualTo(0);
			}
			finally {
				redis.start();
			}
			await().until(() -> this.wakeUps.all() == 1);
			assertThat(store.subscription()).isEqualTo(Subscription.ACTIVE);
			assertThat(log.lines(CHANNEL)).noneMatch(RecordedLog.Line::hasTrace)
				.extracting(RecordedLog.Line::level)
				.containsExactly("WARN", "INFO");
		}
	}

	/**
	 * Its connection stays open. It may be given up in the moment in which the server
	 * goes on: what is published then is not heard, and all waiters are woken.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void isBrokenWhileTheServerHangs(Client client) {
		RedisLockStore store = listen(client.connectPatiently(redis.port()));
		await().until(() -> store.subscription() == Subscription.ACTIVE);
		redis.freeze();
		try {
			await().until(() -> store.subscription() == Subscription.BROKEN);
		}
		finally {
			redis.unfreeze();
		}
		await().until(() -> store.subscription() == Subscription.ACTIVE);
		await().until(() -> {
			publish("7 a key");
			return this.wakeUps.messages().contains("a key@me:7");
		});
	}

	/**
	 * On its way, just there, or there for some time. Nothing is left in the
	 * application's connections: with old Jedis, that of the subscription is one of its
	 * pool.
	 */
	@ParameterizedTest
	@EnumSource
	@Timeout(120)
	void canBeClosedAtAnyMoment(Client client) {
		Set<Thread> others = Threads.named("holdfast-wake-up");
		RedisConnectionFactory connections = client.connectPatiently(redis.port());
		RedisLockStore store = open(connections);
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
		for (int i = 0; i < 50; i++) {
			store.listen("me", this.wakeUps);
			LockSupport.parkNanos(i * 200_000L);
			store.stopListening();
		}
		stopped.set(true);
		assertThat(Threads.join(application)).isPositive();
		await().untilAsserted(() -> {
			redis.with((jedis) -> assertThat(jedis.pubsubNumSub(CHANNEL)).containsEntry(CHANNEL, 0L));
			assertThat(Threads.named("holdfast-wake-up", others)).isEmpty();
		});
	}

	/**
	 * Lettuce waits for its connection, and for ever once the application has closed all
	 * of them.
	 */
	@Test
	@Timeout(120)
	void endsAlsoWhileTheServerDoesNotAnswer() throws Exception {
		Set<Thread> others = Threads.named("holdfast-wake-up");
		try (ServerSocket silent = new ServerSocket(0)) {
			LettuceConnectionFactory connections = Connections.patientLettuce(silent.getLocalPort());
			RedisLockStore store = listen(connections);
			try (Socket asked = silent.accept()) {
				store.stopListening();
				await().until(() -> Threads.named("holdfast-wake-up", others).isEmpty());
				assertThat(asked.isConnected()).isTrue();
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void errorOfWhoIsToldDoesNotEndTheSubscription(Client client) {
		RedisLockStore store = listen(client.connectPatiently(redis.port()));
		await().until(() -> store.subscription() == Subscription.ACTIVE);
		this.wakeUps.fail(new OutOfMemoryError("for a test"));
		publish("7 a key");
		await().until(() -> !this.wakeUps.messages().isEmpty());
		this.wakeUps.fail(null);
		await().until(() -> {
			publish("8 another key");
			return this.wakeUps.messages().contains("another key@me:8");
		});
		redis.with((jedis) -> await().until(() -> jedis.pubsubNumSub(CHANNEL).get(CHANNEL) == 1));
	}

	/**
	 * Its thread has nothing of who starts it.
	 */
	@Test
	void errorBeforeItIsThereDoesNotEndIt() {
		Set<Inherited> known = ConcurrentHashMap.newKeySet();
		RedisConnectionFactory jedis = Connections.jedis(redis.port());
		this.opened.add(() -> RedisStores.disconnect(jedis));
		RedisConnectionFactory connections = DisturbedConnections.of(jedis, (call) -> {
			known.add(Inherited.here());
			if (call <= 3) {
				throw new StackOverflowError("for a test");
			}
		});
		RedisLockStore store = open(connections);
		Inherited.give(() -> {
			store.listen("me", this.wakeUps);
			await().until(() -> store.subscription() == Subscription.ACTIVE);
		});
		assertThat(known).extracting(Inherited::user).containsOnlyNulls();
		assertThat(known).extracting(Inherited::classLoader)
			.containsOnly(Thread.currentThread().getContextClassLoader());
	}

}
