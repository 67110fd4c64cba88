package io.holdfast.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.actuate.LocksApplication.Answer;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.OwnerId;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.web.util.UriUtils;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The endpoint over HTTP, of two applications on one Redis.
 */
@Tag("slow")
class LocksEndpointTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static LocksApplication shop;

	private static LocksApplication till;

	private final List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();

	@BeforeAll
	static void startApplications() {
		shop = LocksApplication.start("shop", "spring.data.redis.port=" + redis.port());
		till = LocksApplication.start("till", "spring.data.redis.port=" + redis.port());
	}

	@AfterAll
	static void stopApplications() {
		shop.close();
		till.close();
	}

	/**
	 * Releases each key by force once: what a waiter is granted in turn, it releases.
	 */
	@AfterEach
	void releaseAll() {
		this.waiters.forEach((waiter) -> waiter.thenAccept(LockHandle::releaseAsync));
		applications().flatMap((application) -> application.registry().held().stream())
			.flatMap((held) -> held.keys().stream())
			.distinct()
			.toList()
			.forEach((key) -> shop.registry().operations().forceRelease(key, null, Duration.ofSeconds(20)));
		await().until(() -> this.waiters.stream().allMatch(CompletableFuture::isDone)
				&& applications().allMatch((application) -> application.registry().held().isEmpty()));
	}

	private static Stream<LocksApplication> applications() {
		return Stream.of(shop, till);
	}

	private CompletableFuture<LockHandle> waiting(LocksApplication application, LockRequest request) {
		CompletableFuture<LockHandle> waiter = application.template().acquireAsync(request.waitForever());
		this.waiters.add(waiter);
		return waiter;
	}

	private static LockHandle onOwnThread(LocksApplication application, LockRequest request) {
		return Threads.call(() -> application.template().acquire(request));
	}

	private static String encoded(String key) {
		return UriUtils.encode(key, UTF_8);
	}

	private static List<?> values(Object list, String name) {
		return ((List<?>) list).stream().<Object>map((each) -> ((Map<?, ?>) each).get(name)).toList();
	}

	// What is told

	@Test
	void allThatIsKnownOfAHoldIsTold() {
		Instant before = Instant.now();
		LockHandle lock = shop.template().acquire(LockRequest.of("42").name("order"));
		shop.template().acquire(LockRequest.of("42").name("order"));
		Answer answer = shop.get("");
		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.json().keySet()).<Object>map((key) -> key).containsExactly("instance", "locks");
		assertThat(answer.json().get("instance")).isEqualTo(shop.id());
		assertThat(answer.locks()).hasSize(1);
		Map<?, ?> told = answer.lock("order:42");
		assertThat(told.keySet()).<Object>map((key) -> key)
			.containsExactly("key", "name", "mode", "owner", "since", "remainingLease", "holdCount", "token",
					"waiters");
		assertThat(told.get("name")).isEqualTo("order");
		assertThat(told.get("mode")).isEqualTo("EXCLUSIVE");
		assertThat(Instant.parse((String) told.get("since"))).isBetween(before, Instant.now());
		assertThat(((Number) told.get("remainingLease")).longValue()).isBetween(20_000L, 30_000L);
		assertThat(told.get("holdCount")).isEqualTo(2);
		assertThat(((Number) told.get("token")).longValue()).isEqualTo(lock.fencingToken());
		assertThat(told.get("waiters")).isEqualTo(List.of());
		Thread thread = Thread.currentThread();
		assertThat(told.get("owner")).isEqualTo(Map.of("id", shop.id() + ":" + thread.getId(), "instance", shop.id(),
				"application", "shop", "host", OwnerId.of(shop.id() + ":1").host(), "pid",
				(int) ProcessHandle.current().pid(), "thread", thread.getName(), "threadId", (int) thread.getId()));
	}

	@Test
	void otherInstancesHoldsAreToldInTheClusterOnly() {
		Instant before = Instant.now();
		LockHandle lock = onOwnThread(shop, LockRequest.of("42").name("order"));
		assertThat(till.get("").locks()).isEmpty();
		await().untilAsserted(() -> assertThat(owner(till.get("?scope=cluster").lock("order:42")))
			.containsEntry("application", "shop"));
		Map<?, ?> told = till.get("/order:42").json();
		Map<Object, Object> known = owner(shop.get("").lock("order:42"));
		assertThat(known.put("thread", null)).isEqualTo("test-thread");
		assertThat(owner(told)).isEqualTo(known);
		assertThat(told.get("mode")).isEqualTo("EXCLUSIVE");
		assertThat(told.get("name")).isNull();
		assertThat(told.get("holdCount")).isEqualTo(1);
		assertThat(((Number) told.get("token")).longValue()).isEqualTo(lock.fencingToken());
		assertThat(((Number) told.get("remainingLease")).longValue()).isBetween(10_000L, 30_000L);
		assertThat(Instant.parse((String) told.get("since"))).isBetween(before.minusMillis(1), Instant.now());
	}

	private static Map<Object, Object> owner(Map<?, ?> lock) {
		Object owner = lock.get("owner");
		return (owner != null) ? new LinkedHashMap<>((Map<?, ?>) owner) : Map.of();
	}

	@Test
	void eachKeyOfAHoldOfSeveralIsToldWithItsToken() {
		LockHandle lock = shop.template().acquire(LockRequest.of("b", "a"));
		for (String scope : List.of("", "?scope=cluster")) {
			Answer answer = shop.get(scope);
			assertThat(answer.keys()).containsExactlyInAnyOrder("a", "b");
			for (String key : List.of("a", "b")) {
				assertThat(((Number) answer.lock(key).get("token")).longValue()).isEqualTo(lock.fencingToken(key));
			}
		}
	}

	/**
	 * That of their places in Redis: who has lost one, on a machine that stands still,
	 * gets the last one.
	 */
	@Test
	void waitersAreToldInOrder() {
		shop.template().acquire("k");
		Stream.of(till, shop, till).forEach((application) -> waiting(application, LockRequest.of("k").fair()));
		await().untilAsserted(() -> {
			List<String> places = redis.ask((jedis) -> jedis.zrange("holdfast:{k}:queue", 0, -1));
			assertThat(values(waiters(shop), "application").stream().map(String::valueOf))
				.containsExactlyInAnyOrder("till", "shop", "till");
			for (List<?> told : List.of(waiters(shop), waiters(till),
					(List<?>) till.get("?scope=cluster").lock("k").get("waiters"))) {
				assertThat(values(told, "id")).zipSatisfy(places,
						(id, place) -> assertThat(place).startsWith((String) id));
			}
		});
		Map<?, ?> waiter = waiter(till, "till");
		assertThat(waiter.keySet()).<Object>map((key) -> key)
			.containsExactly("id", "instance", "application", "host", "pid", "thread", "threadId", "mode", "since",
					"waited");
		assertThat(waiter.get("mode")).isEqualTo("EXCLUSIVE");
		assertThat(waiter.get("thread")).isEqualTo(Thread.currentThread().getName());
		assertThat(waiter.get("threadId")).isNull();
		assertThat(((Number) waiter.get("waited")).longValue()).isPositive();
		assertThat(Instant.parse((String) waiter.get("since"))).isBefore(Instant.now());
		Map<?, ?> ofOther = waiter(shop, "till");
		assertThat(ofOther.get("since")).isNull();
		assertThat(ofOther.get("waited")).isNull();
	}

	private static Map<?, ?> waiter(LocksApplication asked, String application) {
		return await()
			.until(() -> waiters(asked).stream()
				.<Map<?, ?>>map((waiter) -> (Map<?, ?>) waiter)
				.filter((waiter) -> application.equals(waiter.get("application")))
				.findFirst(), Optional::isPresent)
			.orElseThrow();
	}

	private static List<?> waiters(LocksApplication application) {
		Object waiters = application.get("/k").json().get("waiters");
		return (waiters != null) ? (List<?>) waiters : List.of();
	}

	@Test
	void thoseWhoStandInLineWithinTheInstanceAreToldLast() {
		shop.template().acquire("k");
		waiting(till, LockRequest.of("k"));
		await().until(() -> waiters(shop).size() == 1);
		waiting(shop, LockRequest.of("k"));
		await().untilAsserted(
				() -> assertThat(values(waiters(shop), "instance")).isEqualTo(List.of(till.id(), shop.id())));
		waiting(till, LockRequest.of("k"));
		await().untilAsserted(
				() -> assertThat(values(waiters(till), "instance")).isEqualTo(List.of(till.id(), till.id())));
		await().until(() -> ((List<?>) shop.get("").lock("k").get("waiters")).size() == 2);
	}

	@Test
	void whatAnInstanceWaitsForIsToldAsItIsInTheStore() {
		LockHandle held = onOwnThread(shop, LockRequest.of("k"));
		waiting(till, LockRequest.of("k"));
		await().until(() -> till.get("").locks().size() == 1);
		Map<?, ?> told = till.get("").lock("k");
		assertThat(owner(told)).containsEntry("instance", shop.id());
		assertThat(told.get("mode")).isEqualTo("EXCLUSIVE");
		assertThat(told.get("since")).isNotNull();
		assertThat(told.get("token")).isEqualTo(held.fencingToken());
		assertThat(values(told.get("waiters"), "application")).isEqualTo(List.of("till"));
	}

	@Test
	void allWhoShareAreTold() {
		LockHandle first = onOwnThread(shop, LockRequest.of("k").shared());
		LockHandle second = onOwnThread(till, LockRequest.of("k").shared());
		waiting(till, LockRequest.of("k"));
		await().until(() -> values(shop.get("/k").json().get("waiters"), "mode").equals(List.of("EXCLUSIVE")));
		Map<?, ?> told = shop.get("/k").json();
		assertThat(told.get("mode")).isEqualTo("SHARED");
		assertThat(((Number) told.get("token")).longValue()).isEqualTo(first.fencingToken());
		assertThat(values(told.get("sharers"), "token").stream().map((token) -> ((Number) token).longValue()))
			.containsExactly(first.fencingToken(), second.fencingToken());
		assertThat(values(values(told.get("sharers"), "owner"), "instance")).isEqualTo(List.of(shop.id(), till.id()));
		assertThat(values(told.get("sharers"), "holdCount")).isEqualTo(List.of(1, 1));
		assertThat((List<?>) shop.get("").lock("k").get("sharers")).hasSize(2);
	}

	@Test
	void permitsAreTold() {
		LockHandle first = onOwnThread(shop, LockRequest.of("k").permits(2));
		assertThat(shop.get("/k").json().get("permits")).isEqualTo(2);
		assertThat(shop.get("/k").json().get("sharerCount")).isEqualTo(1);
		onOwnThread(till, LockRequest.of("k").permits(2));
		waiting(till, LockRequest.of("k").permits(2));
		await().until(() -> values(shop.get("/k").json().get("waiters"), "mode").equals(List.of("SHARED")));
		assertThat(shop.get("/k").json().get("sharerCount")).isEqualTo(2);
		onOwnThread(shop, LockRequest.of("other").shared());
		assertThat(shop.get("/other").json().containsKey("permits")).isFalse();
		first.release();
	}

	@Test
	void whatIsOnlyKeptIsTold() {
		LockHandle lock = shop.template().acquire(LockRequest.of("k").minHold(Duration.ofMinutes(1)));
		assertThat(shop.get("/k").json().containsKey("kept")).isFalse();
		lock.release();
		Map<?, ?> told = till.get("/k").json();
		assertThat(told.get("kept")).isEqualTo(true);
		assertThat(owner(told)).containsEntry("instance", shop.id());
		assertThat(shop.get("").locks()).isEmpty();
		waiting(till, LockRequest.of("k"));
		await().untilAsserted(() -> assertThat(till.get("").lock("k").get("kept")).isEqualTo(true));
		assertThat(till.delete("/k").status()).isEqualTo(204);
	}

	@Test
	void thoseOfTheInstanceWhoAreNotToldAreCounted() {
		for (int i = 0; i < 104; i++) {
			shop.template().acquire(LockRequest.of("shared").shared().ownedByHandle());
		}
		onOwnThread(shop, LockRequest.of("k"));
		for (int i = 0; i < 104; i++) {
			waiting(shop, LockRequest.of("k"));
		}
		await().until(() -> shop.registry().status().waiting() == 104);
		for (Map<?, ?> told : List.of(shop.get("").lock("k"), shop.get("/k").json())) {
			assertThat((List<?>) told.get("waiters")).hasSize(100);
			assertThat(told.get("waiterCount")).isEqualTo(104);
			assertThat(told.containsKey("sharerCount")).isFalse();
		}
		Map<?, ?> shared = shop.get("").lock("shared");
		assertThat((List<?>) shared.get("sharers")).hasSize(100);
		assertThat(shared.get("sharerCount")).isEqualTo(104);
	}

	@Test
	void whatIsNoLockIsToldBesideTheLocks() {
		onOwnThread(shop, LockRequest.of("a"));
		onOwnThread(shop, LockRequest.of("k"));
		try (Jedis jedis = redis.connect()) {
			jedis.set("holdfast:{k}:queue", "mine");
			Answer answer = till.get("?scope=cluster");
			assertThat(answer.status()).isEqualTo(200);
			assertThat(answer.keys()).containsExactly("a", "k");
			assertThat((String) answer.lock("k").get("error")).contains("WRONGTYPE");
			assertThat(answer.lock("a").containsKey("error")).isFalse();
			assertThat((String) till.get("/k").json().get("error")).contains("WRONGTYPE");
			jedis.del("holdfast:{k}:queue");
		}
	}

	// Which are told

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "?scope=all | 'scope' must be", "?scope=cluster&scope=instance | 'scope' must be" })
	void badQueriesAreRefused(String query, String reason) {
		Answer answer = shop.get(query);
		assertThat(answer.status()).isEqualTo(400);
		assertThat((String) answer.json().get("error")).contains(reason);
	}

	@Test
	void severalKeysAreNotTakenForOne() {
		LockHandle lock = shop.template().acquire(LockRequest.of("a", "b", "a,b"));
		for (Answer answer : List.of(till.get("?key=a&key=b"), till.delete("?key=a&key=b"))) {
			assertThat(answer.status()).isEqualTo(400);
			assertThat((String) answer.json().get("error")).contains("'key' must be given once, not 2 times");
		}
		assertThat(till.get("?key=a,b").json().get("key")).isEqualTo("a,b");
		assertThat(lock.isHeld()).isTrue();
	}

	/**
	 * On a busy machine fewer, for what can be asked within a second.
	 */
	@Test
	void noMoreThanAThousandOfTheInstanceAreTold() {
		for (int kind = 0; kind < 2; kind++) {
			String prefix = "key-" + kind + "-";
			shop.template().acquire(LockRequest.of(IntStream.range(0, 600).mapToObj((i) -> prefix + i).toList()));
		}
		Answer answer = await().until(() -> shop.get(""), (locks) -> locks.locks().size() == 1_000);
		assertThat(answer.json().get("truncated")).isEqualTo(true);
	}

	@Test
	void whatNobodyHasIsNotFound() {
		assertThat(shop.get("/nobody").status()).isEqualTo(404);
		assertThat(shop.get("?key=nobody").status()).isEqualTo(404);
		assertThat(shop.get("?key=").status()).isEqualTo(404);
		assertThat(shop.delete("/nobody").status()).isEqualTo(404);
		assertThat(shop.delete("?key=").status()).isEqualTo(404);
		assertThat(shop.delete("").status()).isEqualTo(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/b/c", "a b", "ä✓😀", "100%", "%2F", "a?b#c", "a;b=c", "a+b&c=d", "{tag}:x", "a:b,c",
			"..x", "\"<'>", "a\tb" })
	void oddKeysWorkInThePath(String key) {
		String path = "/" + encoded(key).replace("%2F", "/");
		LockHandle lock = onOwnThread(shop, LockRequest.of(key));
		assertThat(till.get(path).json().get("key")).isEqualTo(key);
		assertThat(till.get("?scope=cluster").keys()).contains(key);
		assertThat(till.delete(path).status()).isEqualTo(204);
		await().until(() -> !lock.isHeld());
	}

	@ParameterizedTest
	@ValueSource(strings = { "a//b", "/a", "a/", "/", "..", "a/../b", "./a", "a\\b", " a ", "a/b", "ä✓ %;#?&=+" })
	void allKeysWorkAsAParameter(String key) {
		LockHandle lock = onOwnThread(shop, LockRequest.of(key));
		assertThat(till.get("?key=" + encoded(key)).json().get("key")).isEqualTo(key);
		assertThat(till.delete("?key=" + encoded(key)).status()).isEqualTo(204);
		await().until(() -> !lock.isHeld());
	}

	@Test
	void encodedSlashIsNotTakenForAnotherKey() {
		LockHandle lock = onOwnThread(shop, LockRequest.of("a/b"));
		assertThat(till.get("/a%2Fb").status()).isEqualTo(400);
		assertThat(till.delete("/a%2Fb").status()).isEqualTo(400);
		assertThat(till.get("/a/b").status()).isEqualTo(200);
		assertThat(lock.isHeld()).isTrue();
	}

	// Release by force

	@Test
	void holderIsToldAtOnceOfARelease() {
		LockHandle lock = onOwnThread(shop, LockRequest.of("k").lease(Duration.ofMinutes(5)));
		int before = shop.losses().size();
		assertThat(till.delete("/k").status()).isEqualTo(204);
		await().until(() -> shop.losses().size() > before);
		assertThat(lock.isHeld()).isFalse();
		assertThat(till.get("/k").status()).isEqualTo(404);
		assertThat(till.delete("/k").status()).isEqualTo(404);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/k?token=", "?key=k&token=" })
	void repeatedRequestThatNamesTheTokenLeavesTheNextHolderAlone(String query) {
		LockHandle lock = onOwnThread(shop, LockRequest.of("k"));
		String named = query + lock.fencingToken();
		assertThat(till.delete(named).status()).isEqualTo(204);
		assertThat(till.delete(named).status()).isEqualTo(404);
		LockHandle next = onOwnThread(till, LockRequest.of("k"));
		assertThat(till.delete(named).status()).isEqualTo(404);
		assertThat(next.extend(Duration.ofSeconds(30))).isTrue();
		assertThat(till.delete(query + next.fencingToken()).status()).isEqualTo(204);
	}

	@Test
	void tokenThatIsNoNumberIsRefused() {
		LockHandle lock = onOwnThread(shop, LockRequest.of("k"));
		for (String query : List.of("/k?token=x", "?key=k&token=", "/k?token=1&token=2")) {
			Answer answer = till.delete(query);
			assertThat(answer.status()).as(query).isEqualTo(400);
			assertThat((String) answer.json().get("error")).contains("'token' must be");
		}
		assertThat(lock.extend(Duration.ofSeconds(30))).isTrue();
	}

	@Test
	void holderThatDoesNotExposeTheEndpointIsSeenAndToldAtOnce() {
		try (LocksApplication worker = LocksApplication.startAsIs("worker", "spring.data.redis.port=" + redis.port(),
				"management.endpoints.web.exposure.include=health")) {
			LockHandle lock = onOwnThread(worker, LockRequest.of("k").lease(Duration.ofMinutes(5)).autoRenew(false));
			assertThat(owner(till.get("/k").json())).containsEntry("application", "worker");
			await().until(() -> worker.registry().status().subscription() == Subscription.ACTIVE);
			assertThat(till.delete("/k").status()).isEqualTo(204);
			await().until(() -> !worker.losses().isEmpty());
			assertThat(lock.isHeld()).isFalse();
		}
	}

	@Test
	void locksCanOnlyBeReadByDefault() {
		LockHandle lock = shop.template().acquire("k");
		try (LocksApplication reader = LocksApplication.startAsIs("reader", "spring.data.redis.port=" + redis.port())) {
			assertThat(reader.get("/k").status()).isEqualTo(200);
			assertThat(reader.delete("/k").status()).isEqualTo(405);
			assertThat(reader.delete("?key=k").status()).isEqualTo(405);
		}
		assertThat(lock.isHeld()).isTrue();
	}

}
