package io.holdfast.docs;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.OnFailure;
import io.holdfast.RunOnce;
import reactor.core.publisher.Mono;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * The annotated methods of the guide.
 */
class Shop {

	private final AtomicInteger runs = new AtomicInteger();

	private final Accounts accounts = new Accounts();

	private final LockTemplate locks;

	Shop(LockTemplate locks) {
		this.locks = locks;
	}

	// snippet: keys
	@DistributedLock("'nightly-report'") // a literal, in quotes
	public void nightlyReport() {
	}

	@DistributedLock(name = "order", key = "#order.id") // locks "order:42"
	public void book(Order order) {
	}

	// a bean, and the first parameter
	@DistributedLock(name = "account", key = "@tenants.current() + '/' + #p0")
	public void close(String id) {
	}

	@DistributedLock(name = "account", key = "{#from, #to}") // both accounts, or none
	public void transfer(String from, String to) {
	}

	@DistributedLock(name = "balance-sheet") // the name alone is the key
	public void balanceSheet() {
	}
	// end

	// snippet: times
	@DistributedLock(name = "import", lease = "1m", waitFor = "0", maxHold = "10m")
	public void importAll() {
		// one try; the lease is renewed every 20 s, for at most 10 minutes
	}

	@DistributedLock(name = "import", key = "#file", lease = "${imports.lease}", autoRenew = false)
	public void importFile(String file) {
		// the lease is a hard limit
	}
	// end

	// snippet: skip
	@DistributedLock(name = "quote", key = "#item", waitFor = "0", onFailure = OnFailure.SKIP)
	public Optional<String> refresh(String item) {
		return Optional.of(market(item)); // empty if another caller has the lock
	}
	// end

	// snippet: fallback
	@DistributedLock(name = "quote", key = "#item", waitFor = "200ms", fallback = "lastKnown")
	public String quote(String item) {
		return market(item);
	}

	private String lastKnown(String item, LockNotAcquiredException ex) {
		return cached(item); // runs without the lock
	}
	// end

	private static String market(String item) {
		return "fresh";
	}

	private static String cached(String item) {
		return "last known";
	}

	// snippet: run-once
	@Scheduled(cron = "0 0 * * * *") // on all instances, at about the same time
	@RunOnce(per = "1h")
	public void bill() {
		this.runs.incrementAndGet();
	}
	// end

	// snippet: shared
	// any number of readers, no writer
	@DistributedLock(name = "catalogue", mode = LockMode.SHARED)
	public List<String> search(String text) {
		return List.of(text);
	}

	// one writer, in order of arrival
	@DistributedLock(name = "catalogue", fair = true)
	public void rebuild() {
	}
	// end

	// snippet: permits
	// at most five calls of the partner at a time, in all instances
	@DistributedLock(name = "partner-api", permits = 5, waitFor = "10s")
	public String ask(String question) {
		return question;
	}

	// at most ten messages a second for each customer
	@DistributedLock(name = "message", key = "#customer", permits = 10, minHold = "1s")
	public void send(String customer) {
	}
	// end

	@OrderLock("#id")
	public void cancel(String id) {
	}

	// snippet: in-transaction
	@Transactional
	public void move(String from, String to, long amount) {
		LockRequest both = LockRequest.of(from, to).name("account");
		this.locks.executeWithoutResult(both, (lock) -> {
			this.accounts.add(from, -amount);
			this.accounts.add(to, amount);
		});
		// still locked, until the transaction has completed
	}
	// end

	// snippet: async-methods
	@DistributedLock(name = "stock", key = "#item")
	public CompletableFuture<Integer> count(String item) {
		return countAsync(item); // locked until this future completes
	}

	@DistributedLock(name = "stock", key = "#item")
	public Mono<Long> reserve(String item) {
		// locked from subscription to completion
		return Mono.deferContextual((context) -> {
			LockHandle lock = context.get(LockHandle.class); // in Reactor's context
			return write(item, lock.fencingToken());
		});
	}
	// end

	private static CompletableFuture<Integer> countAsync(String item) {
		return CompletableFuture.completedFuture(7);
	}

	private static Mono<Long> write(String item, long token) {
		return Mono.just(token);
	}

	static class Accounts {

		void add(String id, long amount) {
		}

	}

	@Component("tenants")
	public static class Tenants {

		public String current() {
			return "acme";
		}

	}

}
