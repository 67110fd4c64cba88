package io.holdfast.aspectj;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.holdfast.aop.LocalApplication;
import io.holdfast.aop.OptionalLibraries;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockSnapshot;
import io.holdfast.OnFailure;
import io.holdfast.RunOnce;
import io.holdfast.test.Running;
import jakarta.annotation.PostConstruct;
import org.aspectj.lang.Aspects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.awaitility.Awaitility.await;

/**
 * The JVM of {@link WeavingTests} into whose classes AspectJ weaves. Prints what happens,
 * one line for each thing; mostly how many times a lock is held while a method runs.
 */
final class WeavingWorker {

	private final Holds holds = new Holds();

	private WeavingWorker() {
	}

	/**
	 * Run a worker.
	 */
	public static void main(String[] args) {
		new WeavingWorker().proxied();
		new WeavingWorker().woven();
		System.exit(0);
	}

	private void proxied() {
		try (AnnotationConfigApplicationContext context = start("proxy", Proxied.class)) {
			this.holds.registry = context.getBean(LockRegistry.class);
			Proxied bean = context.getBean(Proxied.class);
			tell("proxy: bean", () -> bean.locked("a", this.holds));
			tell("proxy: self-invocation", () -> bean.calling("a", this.holds));
			tell("proxy: object", () -> new Stock(this.holds).locked("a"));
		}
	}

	private void woven() {
		Stock stock = new Stock(this.holds);
		tell("never served", () -> stock.locked("a"));
		try (AnnotationConfigApplicationContext context = start("aspectj", Shop.class, Depot.class)) {
			this.holds.registry = context.getBean(LockRegistry.class);
			beans(context);
			containerCalls();
			objects(stock);
			asynchronous(stock);
			failures(context, stock);
			child(context);
			others(stock);
		}
		tell("after the end", () -> stock.locked("a"));
		tell("after the end, not locked", () -> new Shelf(this.holds).toString());
	}

	private void beans(AnnotationConfigApplicationContext context) {
		Shop shop = context.getBean(Shop.class);
		shop.holds = this.holds;
		tell("bean", () -> shop.locked("a"));
		tell("self-invocation", () -> shop.calling("a"));
		tell("private", () -> shop.callingPrivate("a"));
		tell("final", () -> shop.fixed("a"));
		Depot depot = context.getBean(Depot.class);
		tell("proxied class", () -> depot.getClass() != Depot.class);
		tell("transaction", () -> depot.book("a", this.holds));
		tell("after commit", () -> this.holds.noted + ", then " + this.holds.count("a"));
	}

	private void containerCalls() {
		List<String> locked = new ArrayList<>();
		LifeCycle.locked = locked;
		start("aspectj", LifeCycle.class).close();
		tell("calls of the container", () -> locked);
	}

	private void objects(Stock stock) {
		tell("object", () -> stock.locked("a"));
		tell("composed", () -> stock.composed("a"));
		tell("run once", () -> stock.once() + ", then " + stock.once());
		tell("public method of annotated class", () -> new Shelf(this.holds).open());
		tell("other method of annotated class", () -> new Shelf(this.holds).hidden());
		tell("super", () -> new SpecialStock(this.holds).locked("a"));
		tell("fallback", () -> stock.nestedFallback("a"));
		tell("static", () -> Stock.shared("a"));
	}

	private void asynchronous(Stock stock) {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> stage = stock.stage("s", work);
		tell("pending stage", () -> await().until(() -> this.holds.count("s"), (count) -> count > 0));
		work.complete("done");
		tell("completed stage", () -> {
			String result = stage.join();
			await().until(() -> this.holds.count("s") == 0);
			return result;
		});
		Mono<Integer> mono = stock.mono("m");
		tell("before the subscription", () -> counted() + ", " + this.holds.count("m"));
		tell("first subscription", () -> mono.block() + ", " + counted());
		tell("second subscription", () -> mono.block() + ", " + counted());
		List<Integer> all = Flux.fromStream(IntStream.range(0, 50).boxed())
			.flatMap((i) -> mono.subscribeOn(Schedulers.parallel()), 50)
			.collectList()
			.block();
		tell("50 subscriptions", () -> all.stream().distinct().toList() + ", " + counted());
		tell("super of a publisher", () -> new SpecialStock(this.holds).mono("m").block());
	}

	private void failures(AnnotationConfigApplicationContext context, Stock stock) {
		LocalApplication.whileHeldElsewhere(context, "f", () -> {
			tell("not acquired", () -> stock.locked("f"));
			tell("fallback of an object", () -> stock.orElse("f"));
			tell("skipped", () -> stock.orSkip("f"));
			tell("delayed stage", () -> stock.stage("f", new CompletableFuture<>()).handle((done, ex) -> ex).join());
		});
		for (Class<?> bean : List.of(Inherited.class, Deep.class, StaticLock.class, Overlooked.class,
				OptionalLibraries.Suspending.class, Creating.class)) {
			tell(bean.getSimpleName(), () -> {
				start("aspectj", bean).close();
				return "started";
			});
		}
	}

	private static void child(ApplicationContext parent) {
		tell("bean of a child context", () -> {
			try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
				child.setParent(parent);
				child.register(Overlooked.class);
				child.refresh();
			}
			return "started";
		});
	}

	private void others(Stock stock) {
		LockRegistry first = this.holds.registry;
		try (AnnotationConfigApplicationContext newer = start("aspectj", Shop.class)) {
			tell("newer application", () -> stock.locked("a") + ", of the newer one " + countedBy(newer, stock));
		}
		this.holds.registry = first;
		tell("older application", () -> stock.locked("a"));
	}

	private int countedBy(AnnotationConfigApplicationContext context, Stock stock) {
		this.holds.registry = context.getBean(LockRegistry.class);
		return stock.locked("a");
	}

	private static int counted() {
		return Aspects.aspectOf(CountingAspect.class).calls();
	}

	private static void tell(String what, Callable<?> action) {
		String result;
		try {
			result = String.valueOf(action.call());
		}
		catch (Exception ex) {
			Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
			result = cause.getClass().getSimpleName() + ": " + cause.getMessage();
		}
		System.out.println("> " + what + " = " + result.replace('\n', ' '));
	}

	private static AnnotationConfigApplicationContext start(String mode, Class<?>... beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues.of("holdfast.store=local", "holdfast.wait-for=0", "holdfast.aspect.mode=" + mode)
			.applyTo(context);
		context.register(HoldfastAutoConfiguration.class, Transactions.class);
		context.register(beans);
		context.refresh();
		return context;
	}

	/**
	 * Counts how many times a lock is held.
	 */
	static class Holds {

		private volatile LockRegistry registry;

		private int noted;

		int count(String key) {
			return (this.registry == null) ? 0
					: this.registry.held()
						.stream()
						.filter((lock) -> lock.keys().contains(key))
						.mapToInt(LockSnapshot::holdCount)
						.sum();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Transactions {

		@Bean
		JdbcTransactionManager transactionManager() {
			return new JdbcTransactionManager(
					new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build());
		}

	}

	static class Shop {

		private Holds holds;

		@DistributedLock("#key")
		int locked(String key) {
			return this.holds.count(key);
		}

		int calling(String key) {
			return locked(key);
		}

		int callingPrivate(String key) {
			return hidden(key);
		}

		@DistributedLock("#key")
		private int hidden(String key) {
			return this.holds.count(key);
		}

		@DistributedLock("#key")
		final int fixed(String key) {
			return this.holds.count(key);
		}

	}

	static class Proxied {

		@DistributedLock("#key")
		int locked(String key, Holds holds) {
			return holds.count(key);
		}

		int calling(String key, Holds holds) {
			return locked(key, holds);
		}

	}

	static class Depot {

		@Transactional
		@DistributedLock("#key")
		public int book(String key, Holds holds) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void afterCommit() {
					holds.noted = holds.count(key);
				}
			});
			return holds.count(key);
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("#key")
	@interface Guarded {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Guarded
	@interface GuardedTwice {

	}

	static class Stock {

		final Holds holds;

		Stock(Holds holds) {
			this.holds = holds;
		}

		@DistributedLock("#key")
		int locked(String key) {
			return this.holds.count(key);
		}

		@Guarded
		int composed(String key) {
			return this.holds.count(key);
		}

		@RunOnce(per = "1h", name = "once")
		int once() {
			return this.holds.count("once");
		}

		@DistributedLock("#key")
		static int shared(String key) {
			return 0;
		}

		@DistributedLock("#key")
		CompletableFuture<String> stage(String key, CompletableFuture<String> work) {
			return work;
		}

		@DistributedLock(key = "#key", waitFor = "30s")
		Mono<Integer> mono(String key) {
			return Mono.fromSupplier(() -> this.holds.count(key));
		}

		@DistributedLock("#key")
		int nestedFallback(String key) {
			return orElse(key);
		}

		@DistributedLock(key = "#key", fallback = "instead")
		int orElse(String key) {
			return this.holds.count(key);
		}

		private int instead(String key, LockNotAcquiredException failure) {
			return -1;
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		int orSkip(String key) {
			return 7;
		}

	}

	static class SpecialStock extends Stock {

		SpecialStock(Holds holds) {
			super(holds);
		}

		@Override
		@DistributedLock("'special ' + #key")
		int locked(String key) {
			return 10 * this.holds.count("special " + key) + super.locked(key);
		}

		@Override
		Mono<Integer> mono(String key) {
			return super.mono(key).map((count) -> 10 * count + this.holds.count(key));
		}

	}

	@DistributedLock(name = "shelf")
	static class Shelf {

		private final Holds holds;

		Shelf(Holds holds) {
			this.holds = holds;
		}

		public int open() {
			return this.holds.count("shelf");
		}

		int hidden() {
			return this.holds.count("shelf");
		}

		@Override
		public String toString() {
			return "a shelf";
		}

	}

	interface Lockable {

		@DistributedLock("#key")
		void lock(String key);

	}

	static class Inherited implements Lockable {

		@Override
		public void lock(String key) {
		}

	}

	static class Deep {

		@GuardedTwice
		void lock(String key) {
		}

	}

	static class StaticLock {

		@DistributedLock("#key")
		static void lock(String key) {
		}

	}

	static class LifeCycle extends Running {

		private static List<String> locked = new ArrayList<>();

		@PostConstruct
		@DistributedLock("'cycle'")
		void init() {
			note("init");
		}

		@Override
		@DistributedLock("'cycle'")
		public void start() {
			super.start();
			note("start");
		}

		@Override
		@DistributedLock("'cycle'")
		public void stop() {
			super.stop();
			note("stop");
		}

		private static void note(String what) {
			LockAssert.assertHeld("cycle");
			locked.add(what);
		}

	}

	static class Creating {

		@Bean
		@DistributedLock("'k'")
		Object lock() {
			return new Object();
		}

	}

	static class Overlooked {

		@DistributedLock("#key")
		void lock(String key) {
		}

	}

}
