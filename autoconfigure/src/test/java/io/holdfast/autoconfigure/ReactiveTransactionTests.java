package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReactiveLockTemplate;
import io.holdfast.test.EmptyTransactions;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import io.r2dbc.h2.H2ConnectionFactory;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import redis.clients.jedis.Jedis;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Locks of publishers that are in a reactive transaction.
 */
@Tag("slow")
class ReactiveTransactionTests {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static final AtomicInteger keys = new AtomicInteger();

	private static ConfigurableApplicationContext one;

	private static ConfigurableApplicationContext two;

	private final String key = "key-" + keys.incrementAndGet();

	private final TransactionalOperator transaction = transaction(TransactionDefinition.PROPAGATION_REQUIRED);

	@BeforeAll
	static void startApplications() {
		one = start();
		two = start();
		DatabaseClient database = one.getBean(DatabaseClient.class);
		database.sql("create table account (id varchar primary key, balance bigint)").then().block(LIMIT);
	}

	@AfterAll
	static void stopApplications() {
		one.close();
		two.close();
	}

	private static ConfigurableApplicationContext start(String... properties) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + redis.port(),
					"spring.main.banner-mode=off", "holdfast.wait-for=1m")
			.properties(properties)
			.run();
	}

	private static TransactionalOperator transaction(int propagation) {
		return TransactionalOperator.create(one.getBean(ReactiveTransactionManager.class),
				new DefaultTransactionDefinition(propagation));
	}

	private static ReactiveLockTemplate locks() {
		return one.getBean(ReactiveLockTemplate.class);
	}

	private boolean isFree() {
		return Threads.call(() -> two.getBean(LockTemplate.class).tryExecute(this.key, (lock) -> true).isPresent());
	}

	private Mono<Boolean> whetherFree() {
		return Mono.fromCallable(this::isFree);
	}

	private Mono<Long> deposit() {
		return one.getBean(Account.class).change(this.key);
	}

	private Mono<Long> deposit(LockHandle lock) {
		return deposit();
	}

	private long balance() {
		Long balance = two.getBean(Account.class).balance(this.key).block(LIMIT);
		return (balance != null) ? balance : 0;
	}

	private void takeAway() {
		try (Jedis jedis = redis.connect()) {
			jedis.del("holdfast:{" + this.key + "}");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "annotation", "template", "flux", "outside" })
	void concurrentDepositsOfTwoApplicationsAreAllThere(String way) {
		Flux.range(0, 200).flatMap((i) -> deposit((i % 2 == 0) ? one : two, way), 8).blockLast(LIMIT);
		assertThat(balance()).isEqualTo(200);
		// next() cancels, and who cancels does not wait for the release
		await().until(() -> one.getBean(LockRegistry.class).held().isEmpty());
	}

	private Mono<Long> deposit(ConfigurableApplicationContext application, String way) {
		Account account = application.getBean(Account.class);
		ReactiveLockTemplate locks = application.getBean(ReactiveLockTemplate.class);
		UnaryOperator<Mono<Long>> inTransaction = TransactionalOperator
			.create(application.getBean(ReactiveTransactionManager.class))::transactional;
		return switch (way) {
			case "annotation" -> application.getBean(Bank.class).depositLocked(this.key);
			case "template" -> inTransaction.apply(locks.execute(this.key, (lock) -> account.change(this.key)));
			case "flux" ->
				inTransaction.apply(locks.executeMany(this.key, (lock) -> account.change(this.key).flux()).next());
			default -> application.getBean(Bank.class).lockedDeposit(this.key);
		};
	}

	@Test
	void lockIsFreeWhenTheTransactionHasCommitted() {
		assertThat(this.transaction.transactional(locks().execute(this.key, this::deposit).then(whetherFree()))
			.block(LIMIT)).isFalse();
		assertThat(isFree()).isTrue();
		assertThat(balance()).isOne();
	}

	@Test
	void lockOfAnInnerTransactionIsFreeAtItsEnd() {
		Mono<Long> section = locks().execute(this.key, this::deposit);
		Mono<Boolean> afterNew = transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW).transactional(section)
			.then(whetherFree());
		Mono<Boolean> afterJoined = this.transaction.transactional(section).then(whetherFree());
		assertThat(this.transaction.transactional(afterNew).block(LIMIT)).isTrue();
		assertThat(this.transaction.transactional(afterJoined).block(LIMIT)).isFalse();
		assertThat(isFree()).isTrue();
		assertThat(balance()).isEqualTo(2);
	}

	@Test
	void lockIsFreeWhenTheTransactionIsRolledBack() {
		assertThatIllegalStateException()
			.isThrownBy(() -> this.transaction.transactional(locks().execute(this.key, this::deposit)
				.doOnNext((done) -> assertThat(isFree()).isFalse())
				.then(Mono.error(new IllegalStateException("no")))).block(LIMIT))
			.withMessage("no");
		assertThat(isFree()).isTrue();
		assertThat(balance()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void lockIsFreeWhenTheSubscriberCancels(boolean inSection) {
		List<String> reached = new CopyOnWriteArrayList<>();
		Mono<Object> forever = Mono.never().doOnSubscribe((subscription) -> reached.add("here"));
		Mono<Object> section = inSection ? locks().execute(this.key, (lock) -> deposit().then(forever))
				: locks().execute(this.key, this::deposit).then(forever);
		Disposable running = this.transaction.transactional(section).subscribe();
		await().until(() -> !reached.isEmpty());
		assertThat(isFree()).isFalse();
		running.dispose();
		await().until(this::isFree);
		assertThat(balance()).isZero();
		await().until(() -> one.getBean(LockRegistry.class).held().isEmpty());
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void lockIsFreeAfterACommitThatFailed(boolean rolledBack) {
		TransactionalOperator failing = TransactionalOperator
			.create(new EmptyTransactions(Mono.error(new IllegalArgumentException("commit")),
					rolledBack ? Mono.empty() : Mono.error(new IllegalArgumentException("rollback"))));
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> failing.transactional(locks().execute(this.key, (lock) -> Mono.just(1))).block(LIMIT));
		await().until(this::isFree);
	}

	// Losses

	private void assertRolledBack(UnaryOperator<Mono<Object>> transactional, Mono<?> work) {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> transactional.apply(work.cast(Object.class)).block(LIMIT))
			.satisfies((loss) -> assertThat(loss.getKey()).isEqualTo(this.key));
		assertThat(balance()).isZero();
		await("end of the lease in Redis, which comes later than here").until(this::isFree);
		assertThat(one.getBean(LockRegistry.class).held()).isEmpty();
	}

	@Test
	void lossAfterTheSectionIsFoundBeforeTheCommit() {
		assertRolledBack(this.transaction::transactional,
				locks().execute(this.key, this::deposit).doOnNext((done) -> takeAway()));
		assertRolledBack((work) -> one.getBean(Bank.class).run(work),
				one.getBean(Account.class).add(this.key).doOnNext((done) -> takeAway()));
	}

	@Test
	void lossThatTheSubscriberHasIgnoredCommitsNothing() {
		LockRequest brief = LockRequest.of(this.key).lease(Duration.ofMillis(200)).autoRenew(false);
		Function<LockHandle, Mono<Object>> outlived = (lock) -> deposit()
			.delayUntil((done) -> Mono.fromRunnable(() -> await().until(() -> !lock.isHeld())))
			.cast(Object.class);
		assertRolledBack(this.transaction::transactional, locks().execute(brief, outlived));
		assertRolledBack(this.transaction::transactional, locks().execute(brief, outlived)
			.onErrorResume(LockLostException.class, (loss) -> Mono.just("ignored")));
	}

	@Test
	void readOnlyTransactionIsLetThrough() {
		DefaultTransactionDefinition readOnly = new DefaultTransactionDefinition();
		readOnly.setReadOnly(true);
		TransactionalOperator reading = TransactionalOperator.create(one.getBean(ReactiveTransactionManager.class),
				readOnly);
		assertThat(reading
			.transactional(locks().execute(this.key, (lock) -> Mono.just("read")).doOnNext((done) -> takeAway()))
			.block(LIMIT)).isEqualTo("read");
	}

	@Test
	void transactionIsLetThroughWhenLossesAreLoggedOnly() {
		try (ConfigurableApplicationContext application = start("holdfast.on-lost=log")) {
			Mono<Long> section = application.getBean(ReactiveLockTemplate.class)
				.execute(this.key, this::deposit)
				.doOnNext((done) -> takeAway());
			this.transaction.transactional(section).block(LIMIT);
			assertThat(balance()).isOne();
		}
	}

	@Test
	void releasesAtOnceWhenToldSo() {
		try (ConfigurableApplicationContext application = start("holdfast.release-after-transaction=false")) {
			Mono<Boolean> free = application.getBean(ReactiveLockTemplate.class)
				.execute(this.key, this::deposit)
				.then(whetherFree());
			assertThat(this.transaction.transactional(free).block(LIMIT)).isTrue();
		}
	}

	/**
	 * What is no part of the subscription cannot know the subscriber's transaction.
	 */
	@Test
	void asynchronousCodeIsInNoReactiveTransaction() {
		LockTemplate template = one.getBean(LockTemplate.class);
		Mono<Boolean> free = Mono
			.fromFuture(() -> template.executeAsync(LockRequest.of(this.key),
					(lock) -> CompletableFuture.completedFuture("done")))
			.then(whetherFree());
		assertThat(this.transaction.transactional(free).block(LIMIT)).isTrue();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableTransactionManagement
	@Import({ Account.class, Bank.class })
	static class Application {

		// Stays for the other application
		@Bean(destroyMethod = "")
		ConnectionFactory connectionFactory() {
			return H2ConnectionFactory.inMemory("reactive-transactions");
		}

		@Bean
		ReactiveTransactionManager transactionManager(ConnectionFactory connections) {
			return new R2dbcTransactionManager(connections);
		}

		@Bean
		DatabaseClient databaseClient(ConnectionFactory connections) {
			return DatabaseClient.create(connections);
		}

	}

	static class Account {

		private final DatabaseClient database;

		Account(DatabaseClient database) {
			this.database = database;
		}

		@DistributedLock("#id")
		Mono<Long> add(String id) {
			return change(id);
		}

		Mono<Long> change(String id) {
			return balance(id).defaultIfEmpty(0L)
				.flatMap((balance) -> this.database.sql("merge into account values (:id, :balance)")
					.bind("id", id)
					.bind("balance", balance + 1)
					.fetch()
					.rowsUpdated());
		}

		Mono<Long> balance(String id) {
			return this.database.sql("select balance from account where id = :id")
				.bind("id", id)
				.mapValue(Long.class)
				.one();
		}

	}

	static class Bank {

		private final Account account;

		Bank(Account account) {
			this.account = account;
		}

		@Transactional
		Mono<Long> depositLocked(String id) {
			return this.account.add(id);
		}

		@Transactional
		@DistributedLock("#id")
		Mono<Long> lockedDeposit(String id) {
			return this.account.change(id);
		}

		@Transactional
		<T> Mono<T> run(Mono<T> work) {
			return work;
		}

	}

}
