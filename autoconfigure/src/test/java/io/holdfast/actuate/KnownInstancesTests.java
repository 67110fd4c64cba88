package io.holdfast.actuate;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.engine.FaultyStore;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.TestInstance;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What an instance knows of the owners in another one, and what that costs.
 */
@Tag("slow")
class KnownInstancesTests {

	private static final LockRequest REQUEST = LockRequest.of("k").lease(Duration.ofMinutes(5));

	private static final LockRequest ONE_TRY = REQUEST.waitFor(Duration.ZERO);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	/**
	 * Conditions are looked at by another one.
	 */
	private final Thread thread = Thread.currentThread();

	private final InstanceAnnouncer announcer = new InstanceAnnouncer(new InstanceDetails("shop"), false);

	private final KnownInstances known = new KnownInstances(new InstanceDetails("till"));

	private JedisConnectionFactory connections;

	private FaultyStore network;

	private TestInstance holding;

	private TestInstance waiting;

	@BeforeEach
	void start() {
		this.connections = Connections.patientJedis(redis.port());
		this.holding = new TestInstance(this::open, this.announcer);
		this.announcer.observe(this.holding.registry().operations());
		this.waiting = new TestInstance((id) -> {
			this.network = new FaultyStore(open(id));
			return this.network;
		}, this.known);
		this.known.observe(this.waiting.registry().operations());
	}

	private LockStore open(String id) {
		return new RedisLockStore(this.connections, "holdfast", Duration.ofHours(24), ReplicaAcks.NONE);
	}

	@AfterEach
	void stop() {
		this.holding.close();
		this.waiting.close();
		this.connections.destroy();
	}

	private LockHandle hold() {
		LockHandle lock = this.holding.template().acquire(REQUEST);
		await().until(() -> !announced().isEmpty());
		return lock;
	}

	private Map<String, String> announced() {
		return this.holding.registry()
			.operations()
			.view()
			.announced(List.of(this.holding.id()))
			.getOrDefault(this.holding.id(), Map.of());
	}

	private LockNotAcquiredException denied(LockRequest request) {
		return assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.waiting.template().acquire(request))
			.actual();
	}

	private String nameOfHolder() {
		return "thread %d of shop on %s, process %d (%s:%1$d)".formatted(this.thread.getId(), host(),
				ProcessHandle.current().pid(), this.holding.id());
	}

	private static String host() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

	@Test
	void holderInAnotherInstanceIsNamed() {
		LockHandle lock = hold();
		await().untilAsserted(() -> {
			LockNotAcquiredException failure = denied(REQUEST.waitFor(Duration.ofSeconds(1)));
			assertThat(failure.getHolderName()).isEqualTo(nameOfHolder());
			assertThat(failure).hasMessageEndingWith("held by " + nameOfHolder());
		});
		assertThat(denied(ONE_TRY).getHolderName()).isEqualTo(nameOfHolder());
		lock.release();
	}

	@Test
	void waiterIsToldWithTheNameOfItsHolder() {
		LockHandle lock = hold();
		var waiter = Threads.start(() -> this.waiting.template().acquire(REQUEST.waitForever()));
		await().untilAsserted(() -> assertThat(this.waiting.registry().operations().waiting()).singleElement()
			.satisfies((wait) -> assertThat(wait.holderName()).isEqualTo(nameOfHolder())));
		lock.release();
		Threads.join(waiter).release();
	}

	@Test
	void handleIsNamedByItsInstance() {
		LockHandle lock = Threads.join(this.holding.template().acquireAsync(REQUEST));
		await().untilAsserted(
				() -> assertThat(denied(ONE_TRY).getHolderName()).startsWith("a handle of shop on " + host()));
		lock.release();
	}

	@Test
	void instanceThatIsGoneIsRemembered() {
		hold();
		await().untilAsserted(() -> assertThat(denied(ONE_TRY).getHolderName()).isEqualTo(nameOfHolder()));
		this.holding.registry().operations().announce(Map::of);
		try (Jedis jedis = redis.connect()) {
			jedis.del("holdfast:instance:" + this.holding.id());
		}
		assertThat(denied(ONE_TRY).getHolderName()).isEqualTo(nameOfHolder());
	}

	@Test
	void whatIsKeptIsToldToBe() {
		LockRequest kept = LockRequest.of("kept").waitFor(Duration.ZERO);
		this.holding.template().acquire(kept.minHold(Duration.ofMinutes(1))).release();
		String holder = denied(kept).getHolder();
		assertThat(holder).endsWith(":kept");
		this.holding.template().acquire("other");
		await().untilAsserted(() -> assertThat(denied(kept).getHolderName()).contains(" of shop on ")
			.endsWith(", which has released it and keeps it (" + holder + ")"));
	}

	@Test
	void deniedAttemptsAskNothing() {
		LockHandle lock = hold();
		int before = this.network.calls(Operation.VIEW);
		for (int i = 0; i < 50; i++) {
			assertThat(this.waiting.template().tryAcquire(ONE_TRY)).isEmpty();
		}
		await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
		assertThat(this.network.calls(Operation.VIEW)).isEqualTo(before);
		lock.release();
	}

	@Test
	void exceptionsAskNothingOnceTheHolderIsKnown() {
		LockHandle lock = hold();
		await().untilAsserted(() -> assertThat(denied(ONE_TRY).getHolderName()).isEqualTo(nameOfHolder()));
		int before = this.network.calls(Operation.VIEW);
		for (int i = 0; i < 200; i++) {
			denied(ONE_TRY);
		}
		assertThat(this.network.calls(Operation.VIEW)).isEqualTo(before);
		lock.release();
	}

	@Test
	void failureToAskCostsNothingButTheName() {
		LockHandle lock = hold();
		this.network.loseRequests(Operation.VIEW, 2);
		assertThat(denied(ONE_TRY)).hasMessageEndingWith("held by " + denied(ONE_TRY).getHolder());
		await().untilAsserted(() -> assertThat(denied(ONE_TRY).getHolderName()).isEqualTo(nameOfHolder()));
		lock.release();
	}

}
