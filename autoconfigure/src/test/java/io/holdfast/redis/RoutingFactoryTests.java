package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.DisturbedConnections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import io.micrometer.context.ContextRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A connection factory that chooses its server by what the calling thread carries.
 */
class RoutingFactoryTests {

	private static final String ACCESSOR = "tenant";

	private static final String TRACE = "micrometer.test";

	private static final Duration LEASE = Duration.ofSeconds(6);

	@RegisterExtension
	static final RedisProcess one = new RedisProcess();

	@RegisterExtension
	static final RedisProcess two = new RedisProcess();

	private static final ThreadLocal<@Nullable String> tenant = new ThreadLocal<>();

	private static final ThreadLocal<@Nullable String> trace = new ThreadLocal<>();

	private static final Set<String> traces = ConcurrentHashMap.newKeySet();

	private static RedisConnectionFactory first;

	private static RedisConnectionFactory second;

	private static RedisConnectionFactory factory;

	private final TestInstance instance = newInstance();

	private final TestInstance other = newInstance();

	@BeforeAll
	static void connect() {
		first = Connections.patientJedis(one.port());
		second = Connections.patientLettuce(two.port());
		factory = DisturbedConnections.choosing(() -> {
			String present = trace.get();
			traces.add((present != null) ? present : "none");
			return "two".equals(tenant.get()) ? second : first;
		}, first);
		ContextRegistry.getInstance().registerThreadLocalAccessor(TRACE, trace);
	}

	@AfterAll
	static void disconnect() {
		ContextRegistry.getInstance().removeThreadLocalAccessor(TRACE);
		RedisStores.disconnect(first);
		RedisStores.disconnect(second);
	}

	private static TestInstance newInstance() {
		return RedisStores.instance(factory);
	}

	@BeforeEach
	void enter() {
		ContextRegistry.getInstance().registerThreadLocalAccessor(ACCESSOR, tenant);
		tenant.set("two");
		trace.set("request");
	}

	@AfterEach
	void leave() {
		this.instance.close();
		this.other.close();
		ContextRegistry.getInstance().removeThreadLocalAccessor(ACCESSOR);
		tenant.remove();
		trace.remove();
	}

	@Test
	void locksAreRenewedWhereTheyWereAcquired() {
		List<LockHandle> locks = Stream.of("one", "two", "one", "two").map((name) -> {
			tenant.set(name);
			return this.instance.template().acquire(LockRequest.of(name + System.nanoTime()).lease(LEASE));
		}).toList();
		traces.clear();
		await().until(() -> this.instance.renewed() >= 12);
		assertThat(traces).containsExactly("none");
		tenant.set("none of the two");
		assertThat(locks).allMatch((lock) -> lock.extend(LEASE));
		assertThat(locks).extracting(LockHandle::release).containsOnly(ReleaseResult.RELEASED);
		assertThat(this.instance.events().lost()).isEmpty();
	}

	@Test
	void whatOtherThreadsAskForACallerIsAskedOfItsServer() {
		LockRequest request = LockRequest.of("asynchronous").waitFor(Duration.ZERO);
		try (LockHandle held = this.other.template().acquire(request)) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> Threads.join(this.instance.template().acquireAsync(request)));
			assertThat(held.isHeld()).isTrue();
		}
		CompletableFuture<LockHandle> free = this.instance.template().acquireAsync(request);
		tenant.set("one");
		await().until(() -> isOnTwo(request));
		assertThat(Threads.join(Threads.join(free).releaseAsync())).isEqualTo(ReleaseResult.RELEASED);
		tenant.set("two");
		LockHandle elsewhere = this.instance.template().acquire(request);
		tenant.remove();
		elsewhere.close();
		assertThat(isOnTwo(request)).isFalse();
	}

	private static boolean isOnTwo(LockRequest request) {
		return two.ask((jedis) -> jedis.exists("holdfast:{" + request.keys().get(0) + "}"));
	}

}
