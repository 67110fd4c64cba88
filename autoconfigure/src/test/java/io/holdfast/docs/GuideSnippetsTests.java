package io.holdfast.docs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockView;
import io.holdfast.ReactiveLockTemplate;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Runs the code of the guide, of README, and that about any lock in the page on tests.
 * What each attribute does is tested where it is made.
 */
@Tag("any-jdk")
@GuideTest
@Import({ Shop.class, Shop.Tenants.class, Export.class })
@TestPropertySource(properties = "imports.lease=45s")
class GuideSnippetsTests {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	@Autowired
	private Shop shop;

	@Autowired
	private Shipping shipping;

	@Autowired
	private Parcels parcels;

	@Autowired
	private Export export;

	@Autowired
	private AcquiredLocks acquired;

	@Autowired
	private LockTemplate locks;

	@Autowired
	private ReactiveLockTemplate reactiveLocks;

	@Autowired
	private LockRegistry registry;

	private final Order order = new Order("42");

	private final Ledger ledger = new Ledger();

	static Stream<Arguments> annotated() {
		return Stream.of(call("nightly-report", Shop::nightlyReport),
				call("order:42", (shop) -> shop.book(new Order("42"))),
				call("account:acme/7", (shop) -> shop.close("7")),
				call("account:1, account:2", (shop) -> shop.transfer("2", "1")),
				call("balance-sheet", Shop::balanceSheet), call("import", Shop::importAll),
				call("import:a", (shop) -> shop.importFile("a")), call("catalogue", (shop) -> shop.search("anvil")),
				call("catalogue", Shop::rebuild), call("partner-api", (shop) -> shop.ask("why")),
				call("message:me", (shop) -> shop.send("me")), call("order:7", (shop) -> shop.cancel("7")),
				call(Shop.class.getName() + ".bill", Shop::bill),
				call("account:3, account:4", (shop) -> shop.move("3", "4", 100)),
				call("stock:anvil", (shop) -> Threads.join(shop.count("anvil"))),
				call("stock:anvil", (shop) -> assertThat(shop.reserve("anvil").block(LIMIT)).isPositive()));
	}

	private static Arguments call(String keys, Consumer<Shop> method) {
		return Arguments.of(keys, method);
	}

	@ParameterizedTest
	@MethodSource("annotated")
	void annotatedMethod(String keys, Consumer<Shop> method) {
		assertThat(this.acquired.keysBy(() -> method.accept(this.shop)).stream().sorted())
			.containsExactly(keys.split(", "));
	}

	@Test
	void readme() {
		Deliveries deliveries = new Deliveries(this.locks, this.parcels);
		assertThat(this.acquired.keysBy(() -> {
			this.shipping.ship(this.order);
			deliveries.deliver(this.order);
			deliveries.deliverSoon(this.order);
		})).containsExactly("order:42", "order:42", "order:42");
	}

	@Test
	void skippedOrReplacedWithoutTheLock() {
		assertThat(this.shop.refresh("anvil")).contains("fresh");
		assertThat(this.shop.quote("anvil")).isEqualTo("fresh");
		try (LockHandle other = this.locks.acquire(LockRequest.of("quote:anvil").ownedByHandle())) {
			assertThat(this.shop.refresh("anvil")).isEmpty();
			assertThat(this.shop.quote("anvil")).isEqualTo("last known");
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void template() {
		Order order = this.order;
		// snippet: template
		Receipt receipt = this.locks.execute("order:42", (lock) -> {
			this.ledger.book(order, lock.fencingToken());
			return this.ledger.receipt(order);
		});
		// end
		assertThat(receipt).isEqualTo(new Receipt("42"));
	}

	@Test
	void handle() {
		Order order = this.order;
		// snippet: handle
		LockRequest request = LockRequest.of("order:42").lease(Duration.ofSeconds(10)).waitFor(Duration.ZERO);
		try (LockHandle lock = this.locks.acquire(request)) {
			this.ledger.book(order, lock.fencingToken());
		}
		// end
		assertThat(this.ledger.tokens).hasSize(1);
	}

	@Test
	void requests() {
		// snippet: requests
		// all or none
		LockRequest both = LockRequest.of("account:1", "account:2");
		this.locks.executeWithoutResult(both,
				(lock) -> move(lock.fencingToken("account:1"), lock.fencingToken("account:2")));

		LockRequest reader = LockRequest.of("catalogue").shared();
		// one try
		boolean done = this.locks.tryExecute(reader, (lock) -> this.ledger.print()).isPresent();
		// end
		assertThat(this.ledger.tokens).hasSize(2);
		assertThat(done).isTrue();
	}

	private void move(long from, long to) {
		this.ledger.tokens.addAll(List.of(from, to));
	}

	@Test
	void view() {
		Order order = this.order;
		// snippet: view
		LockView lock = this.registry.lock("order:42");
		lock.lock();
		try {
			this.ledger.book(order, lock.fencingToken());
		}
		finally {
			// throws IllegalMonitorStateException if the lock was lost
			lock.unlock();
		}
		// end
		assertThat(this.ledger.tokens).hasSize(1);
	}

	@Test
	void executeAsync() {
		// snippet: execute-async
		CompletableFuture<Integer> count = this.locks.executeAsync(LockRequest.of("stock:anvil"),
				(lock) -> countAsync("anvil"));
		// end
		assertThat(Threads.join(count)).isEqualTo(7);
	}

	private CompletableFuture<Integer> countAsync(String item) {
		return CompletableFuture.completedFuture(7);
	}

	@Test
	void reactiveTemplate() {
		// snippet: reactive-template
		Mono<Integer> order = this.reactiveLocks.execute("stock:anvil",
				(lock) -> reserve("anvil", lock.fencingToken()));
		Flux<Integer> changes = this.reactiveLocks.executeMany(LockRequest.of("stock:anvil").shared(),
				(lock) -> watch("anvil"));
		// end
		assertThat(order.block(LIMIT)).isOne();
		assertThat(changes.collectList().block(LIMIT)).containsExactly(1, 0);
	}

	private Mono<Integer> reserve(String item, long token) {
		return Mono.just(1);
	}

	private Flux<Integer> watch(String item) {
		return Flux.just(1, 0);
	}

	@Test
	void ensureHeld() {
		List<String> lines = List.of("first", "second");
		List<String> stored = new ArrayList<>();
		// snippet: ensure-held
		this.locks.executeWithoutResult("import", (lock) -> {
			for (String line : lines) {
				lock.ensureHeld(); // throws LockLostException if the loss is known
				stored.add(line + lock.fencingToken());
			}
		});
		// end
		assertThat(stored).hasSize(2);
	}

	@Test
	void losesALockInATest() {
		// snippet: lose-a-lock
		LockRequest brief = LockRequest.of("import").lease(Duration.ofMillis(100)).autoRenew(false);
		LockHandle lock = this.locks.acquire(brief);
		await().until(() -> !lock.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::ensureHeld);
		// end
		lock.close();
	}

	@Test
	void stop() {
		assertThat(this.acquired.keysBy(() -> this.export.stop(() -> {
		}))).containsExactly("export");
	}

	record Receipt(String order) {
	}

	static class Ledger {

		private final List<Long> tokens = new ArrayList<>();

		void book(Order order, long token) {
			this.tokens.add(token);
		}

		Receipt receipt(Order order) {
			return new Receipt(order.id());
		}

		String print() {
			return "printed";
		}

	}

}
