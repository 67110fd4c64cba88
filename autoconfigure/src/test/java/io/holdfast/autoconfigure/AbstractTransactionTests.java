package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Two applications that share a database and a Redis, and a key that is new for each
 * test.
 */
abstract class AbstractTransactionTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static final AtomicInteger keys = new AtomicInteger();

	static ConfigurableApplicationContext one;

	static ConfigurableApplicationContext two;

	final String key = "key-" + keys.incrementAndGet();

	LockTemplate locks;

	Entries entries;

	TransactionTemplate transaction;

	@BeforeAll
	static void startApplications() {
		one = start();
		two = start();
	}

	static ConfigurableApplicationContext start(String... properties) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.client-type=jedis", "spring.data.redis.port=" + redis.port(),
					"spring.datasource.url=jdbc:h2:mem:transactions;DB_CLOSE_DELAY=-1", "spring.main.banner-mode=off",
					"holdfast.wait-for=1m")
			.properties(properties)
			.run();
	}

	@AfterAll
	static void stopApplications() {
		one.close();
		two.close();
	}

	@BeforeEach
	void useTheFirstApplication() {
		use(one);
	}

	void use(ConfigurableApplicationContext application) {
		this.locks = application.getBean(LockTemplate.class);
		this.entries = application.getBean(Entries.class);
		this.transaction = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
	}

	static TransactionTemplate transaction(int propagation) {
		TransactionTemplate template = new TransactionTemplate(one.getBean(PlatformTransactionManager.class));
		template.setPropagationBehavior(propagation);
		return template;
	}

	/**
	 * Return whether the other application gets the lock.
	 */
	boolean isFree(String key) {
		return isFree(LockRequest.of(key).waitFor(Duration.ZERO));
	}

	boolean isFree(LockRequest request) {
		return Threads.call(() -> {
			Optional<LockHandle> handle = two.getBean(LockRegistry.class).tryAcquire(request);
			handle.ifPresent(LockHandle::close);
			return handle.isPresent();
		});
	}

	boolean isFree() {
		return isFree(this.key);
	}

	/**
	 * Return whether others see an entry.
	 */
	boolean isCommitted(String id) {
		return Threads.call(() -> two.getBean(Entries.class).count(id)) > 0;
	}

	boolean isCommitted() {
		return isCommitted(this.key);
	}

	/**
	 * Take a lock away behind its holder's back.
	 */
	static void takeAway(String key) {
		try (Jedis jedis = redis.connect()) {
			jedis.del("holdfast:{" + key + "}");
		}
	}

	static void beforeCommit(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
			@Override
			public void beforeCommit(boolean readOnly) {
				action.run();
			}
		});
	}

	static void afterCommit(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
			@Override
			public void afterCommit() {
				action.run();
			}
		});
	}

	static void beforeCompletion(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
			@Override
			public void beforeCompletion() {
				action.run();
			}
		});
	}

	static void afterCompletion(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
			@Override
			public void afterCompletion(int status) {
				action.run();
			}
		});
	}

	/**
	 * Something to be done after the commit.
	 */
	record Done(Runnable action) {
	}

	/**
	 * What transactions write.
	 */
	static class Entries {

		private final JdbcClient jdbc;

		Entries(JdbcClient jdbc) {
			this.jdbc = jdbc;
			jdbc.sql("create table if not exists entry (id varchar(40))").update();
		}

		void add(String id) {
			this.jdbc.sql("insert into entry (id) values (?)").param(id).update();
		}

		int count(String id) {
			return this.jdbc.sql("select count(*) from entry where id = ?").param(id).query(Integer.class).single();
		}

		@DistributedLock("#id")
		@Transactional
		void addLocked(String id, Runnable afterwards) {
			add(id);
			afterwards.run();
		}

		@DistributedLock("#id")
		@Transactional(noRollbackFor = IllegalStateException.class)
		void addAndCommitInSpiteOfFailure(String id, Runnable failing) {
			add(id);
			failing.run();
		}

		@TransactionalEventListener
		void done(Done event) {
			event.action().run();
		}

		@DistributedLock("#id")
		void locked(String id, Runnable action) {
			action.run();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Entries.class)
	static class Application {

	}

	/**
	 * Runs in a transaction.
	 */
	void inTransaction(Runnable action) {
		this.transaction.executeWithoutResult((status) -> action.run());
	}

	void underLock(String key, Consumer<LockHandle> action) {
		this.locks.executeWithoutResult(key, action);
	}

}
