package io.holdfast.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import com.zaxxer.hikari.HikariDataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider.Configuration;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Locks of others in a database, with a connection of a pool for each thread and two
 * more.
 */
final class DatabaseLocks {

	private DatabaseLocks() {
	}

	/**
	 * The floor: a transaction that asks PostgreSQL itself for a lock, and no table. It
	 * keeps a connection for as long as it has the lock or waits for it.
	 */
	static LockClient advisory(ClientSettings settings) {
		HikariDataSource pool = pool(settings);
		PlatformTransactionManager transactions = new JdbcTransactionManager(pool);
		JdbcTemplate jdbc = new JdbcTemplate(pool);
		return (key) -> {
			var transaction = transactions.getTransaction(null);
			jdbc.query("select pg_advisory_xact_lock(hashtextextended(?, 0))", (row) -> {
			}, key);
			return () -> transactions.commit(transaction);
		};
	}

	/**
	 * With the query that its manual has for PostgreSQL. Waiters ask every 100 ms.
	 */
	static LockClient springIntegration(ClientSettings settings) {
		HikariDataSource pool = pool(settings);
		DefaultLockRepository repository = new DefaultLockRepository(pool);
		repository.setTransactionManager(new JdbcTransactionManager(pool));
		repository.setInsertQuery(repository.getInsertQuery() + " on conflict do nothing");
		repository.afterPropertiesSet();
		repository.afterSingletonsInstantiated();
		repository.start();
		JdbcLockRegistry registry = new JdbcLockRegistry(repository, ClientSettings.LEASE);
		return (key) -> {
			var lock = registry.obtain(key);
			lock.lock();
			return lock::unlock;
		};
	}

	/**
	 * It does not wait: the caller tries again after about a millisecond.
	 */
	static LockClient shedLock(ClientSettings settings) {
		LockProvider provider = new JdbcTemplateLockProvider(
				Configuration.builder().withJdbcTemplate(new JdbcTemplate(pool(settings))).usingDbTime().build());
		return (key) -> {
			Optional<SimpleLock> lock = Optional.empty();
			while (lock.isEmpty()) {
				lock = provider.lock(new LockConfiguration(Instant.now(), key, ClientSettings.LEASE, Duration.ZERO));
				if (lock.isEmpty()) {
					LockClient.pause();
				}
			}
			return lock.get()::unlock;
		};
	}

	private static HikariDataSource pool(ClientSettings settings) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(ClientSettings.databaseUrl(settings.port()));
		pool.setUsername(ClientSettings.DATABASE);
		pool.setMaximumPoolSize(settings.threads() + 2);
		return pool;
	}

}
