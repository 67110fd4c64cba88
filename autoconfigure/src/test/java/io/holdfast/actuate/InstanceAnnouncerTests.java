package io.holdfast.actuate;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.TestInstance;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.LockStore.Subscription;
import io.holdfast.engine.store.StoreView;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.redis.inspect.RedisView;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What instances tell each other about themselves.
 */
@Tag("slow")
class InstanceAnnouncerTests {

	private final RedisProcess redis = new RedisProcess();

	private JedisConnectionFactory connections;

	private TestInstance one;

	private TestInstance two;

	private InstanceAnnouncer announcer;

	@BeforeEach
	void start() {
		this.redis.start();
		this.connections = Connections.patientJedis(this.redis.port());
		create(new InstanceAnnouncer(new InstanceDetails("shop"), 0, true));
		this.two = new TestInstance(this::open);
	}

	private void create(InstanceAnnouncer announcer) {
		if (this.one != null) {
			this.one.close();
		}
		this.announcer = announcer;
		this.one = new TestInstance(this::open, announcer);
		announcer.observe(this.one.registry().operations());
	}

	private LockStore open(String id) {
		return new RedisLockStore(this.connections, "holdfast", Duration.ofHours(24), ReplicaAcks.NONE, RedisView::new);
	}

	@AfterEach
	void stop() {
		this.redis.close();
		this.announcer.stop();
		this.one.close();
		this.two.close();
		this.connections.destroy();
	}

	private Map<String, String> announced() {
		return this.two.registry()
			.operations()
			.view()
			.announced(List.of(this.one.id()))
			.getOrDefault(this.one.id(), Map.of());
	}

	private void holdSomething() {
		this.one.template().acquireAsync(LockRequest.of("held").lease(Duration.ofMinutes(5))).join();
	}

	@Test
	void othersKnowTheInstanceUntilItStops() {
		holdSomething();
		this.announcer.start();
		assertThat(this.announcer.isRunning()).isTrue();
		await().untilAsserted(() -> assertThat(announced()).containsEntry("application", "shop")
			.containsEntry("pid", Long.toString(ProcessHandle.current().pid()))
			.containsKey("host"));
		this.announcer.stop();
		assertThat(this.announcer.isRunning()).isFalse();
		assertThat(announced()).isEmpty();
	}

	@Test
	void canBeStartedAgain() {
		holdSomething();
		this.announcer.start();
		await().until(() -> !announced().isEmpty());
		this.announcer.stop();
		this.announcer.start();
		await().until(() -> !announced().isEmpty());
	}

	@Test
	void whatIsAnnouncedExpires() {
		holdSomething();
		this.announcer.start();
		await().until(() -> !announced().isEmpty());
		try (Jedis jedis = this.redis.connect()) {
			assertThat(jedis.keys("holdfast:instance:*")).singleElement()
				.satisfies((key) -> assertThat(jedis.pttl(key)).isBetween(30_000L, 60_000L));
		}
	}

	@Test
	void whatIsAnnouncedLastsAndIsNotWrittenAgain() {
		create(new InstanceAnnouncer(new InstanceDetails("shop"), 0, true, Duration.ofMillis(50)));
		this.announcer.start();
		LockHandle held = this.one.template().acquireAsync(LockRequest.of("held").lease(Duration.ofMinutes(5))).join();
		await().until(() -> announced().containsKey("application") && announced().size() > 3);
		try (Jedis jedis = this.redis.connect()) {
			String key = jedis.keys("holdfast:instance:*").iterator().next();
			jedis.hset(key, "mark", "of this test");
			jedis.pexpire(key, 20_000);
			await().until(() -> jedis.pttl(key) > 30_000);
			assertThat(announced()).containsKey("mark");
			jedis.del(key);
			await().until(() -> announced().containsKey("application"));
			assertThat(announced()).doesNotContainKey("mark");
			held.release();
			jedis.pexpire(key, 20_000);
			await("for those of whom it is kept").until(() -> jedis.pttl(key) > 30_000);
		}
	}

	@Test
	void threadsThatHoldAreKnownSoon() {
		this.announcer.start();
		Threads.call(() -> this.one.template().acquire("k"));
		await().untilAsserted(
				() -> assertThat(announced()).containsValue("test-thread").containsEntry("application", "shop"));
	}

	@Test
	void namesOfLocksAreKnownSoonAndStay() {
		this.announcer.start();
		LockHandle lock = this.one.template().acquire(LockRequest.of("42").name("order"));
		await().untilAsserted(() -> assertThat(announced()).containsKey("name:order"));
		lock.release();
		this.one.template().acquire(LockRequest.of("42").name("stock"));
		await().untilAsserted(() -> assertThat(announced()).containsKeys("name:order", "name:stock"));
	}

	/**
	 * What is told stays small where names are made of data.
	 */
	@Test
	void namesBeyondTheLimitAreNotTold() {
		this.announcer.start();
		for (int i = 0; i < 300; i++) {
			this.one.template().acquire(LockRequest.of("42").name("order-" + i).lease(Duration.ofMinutes(5)));
		}
		await().until(() -> announced().keySet().stream().filter((field) -> field.startsWith("name:")).count() == 256);
	}

	@Test
	void instanceListensFromTheBeginning() {
		assertThat(this.one.registry().status().subscription()).isEqualTo(Subscription.IDLE);
		this.announcer.start();
		await().until(() -> this.one.registry().status().subscription() == Subscription.ACTIVE);
	}

	/**
	 * As a context does that is stopped and started again: what stops first starts last.
	 */
	@Test
	void instanceListensAgainWhenItIsStartedAgain() {
		this.announcer.start();
		await().until(() -> this.one.registry().status().subscription() == Subscription.ACTIVE);
		this.one.registry().stop(Duration.ZERO);
		this.announcer.stop();
		this.announcer.start();
		assertThat(this.one.registry().status().subscription()).isEqualTo(Subscription.IDLE);
		this.one.registry().start();
		await().until(() -> this.one.registry().status().subscription() == Subscription.ACTIVE);
	}

	@Test
	void nothingIsSaidBeforeTheFirstLockAlsoWithTheEndpoint() {
		this.announcer.start();
		await().until(() -> this.one.registry().status().subscription() == Subscription.ACTIVE);
		await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
		assertThat(announced()).isEmpty();
	}

	@Test
	void withoutEndpointNothingIsHeardBeforeTheFirstLock() {
		create(new InstanceAnnouncer(new InstanceDetails("shop"), 0, false));
		this.announcer.start();
		long before = commands();
		await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
		assertThat(commands()).isEqualTo(before);
		assertThat(this.one.registry().status().subscription()).isEqualTo(Subscription.IDLE);
		Threads.call(() -> this.one.template().acquire("k"));
		await().until(() -> this.one.registry().status().subscription() == Subscription.ACTIVE);
		await().untilAsserted(() -> assertThat(announced()).containsValue("test-thread"));
	}

	@Test
	void instanceWithoutLocksThatWasNeverSeenAsksNothingAtItsEnd() {
		create(new InstanceAnnouncer(new InstanceDetails("shop"), 0, false));
		this.announcer.start();
		long before = commands();
		this.announcer.stop();
		assertThat(commands()).isEqualTo(before);
	}

	@Test
	void nothingIsSaidWhileNothingIsNew() {
		this.announcer.start();
		for (int i = 0; i < 300; i++) {
			String key = "k" + i;
			this.one.template().acquireAsync(LockRequest.of(key).lease(Duration.ofMinutes(5))).join();
		}
		await().until(() -> announced().size() > ThreadNames.MOST);
		await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
		long before = commands();
		await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
		assertThat(commands() - before).isLessThan(3);
	}

	/**
	 * Return how many commands Redis has been sent, but for these.
	 */
	private long commands() {
		try (Jedis jedis = this.redis.connect()) {
			return jedis.info("commandstats")
				.lines()
				.filter((line) -> line.matches("cmdstat_(evalsha|eval|hgetall|del|pexpire|subscribe|ping):.*"))
				.mapToLong((line) -> Long.parseLong(line.replaceAll("[^:]*:calls=(\\d+),.*", "$1")))
				.sum();
		}
	}

	@Test
	void goesOnAfterAnError() {
		AtomicInteger failures = new AtomicInteger();
		InstanceAnnouncer robust = new InstanceAnnouncer(new InstanceDetails("shop"), 0, true);
		try (TestInstance failing = new TestInstance((id) -> failing(LockStore.class, open(id), "view",
				(view) -> failing(StoreView.class, view, "announce", (done) -> {
					if (failures.getAndIncrement() == 0) {
						throw new NoClassDefFoundError("for a test");
					}
					return done;
				})), robust)) {
			Logger logger = (Logger) LoggerFactory.getLogger(InstanceAnnouncer.class.getPackageName());
			Level before = logger.getLevel();
			logger.setLevel(Level.DEBUG);
			robust.observe(failing.registry().operations());
			failing.template().acquireAsync(LockRequest.of("k")).join();
			robust.start();
			await().until(() -> failures.get() > 1);
			robust.stop();
			logger.setLevel(before);
		}
	}

	/**
	 * Return something that behaves like another thing, except that the result of one
	 * method goes through a function.
	 */
	private static <T> T failing(Class<T> type, Object original, String name, UnaryOperator<@Nullable Object> after) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				Object result = method.invoke(original, arguments);
				return method.getName().equals(name) ? after.apply(result) : result;
			}));
	}

	@Test
	void startsWithoutRedisAndAnnouncesWhenItIsThere() {
		holdSomething();
		this.redis.kill();
		this.announcer.start();
		this.redis.start();
		await().ignoreExceptions().until(() -> !announced().isEmpty());
	}

	@Test
	void stopsAlthoughRedisHangs() {
		holdSomething();
		this.announcer.start();
		await().until(() -> !announced().isEmpty());
		this.redis.freeze();
		long start = System.nanoTime();
		this.announcer.stop();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
	}

}
