package io.holdfast.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.actuate.LocksHealthIndicator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import javax.sql.DataSource;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What happens to a database while two instances work under locks in it: they number
 * entries one after the other, in transactions on it. Nothing is done twice, or in
 * another order than that of the tokens; each caller gets an answer; and once it is over,
 * all go on.
 */
@Tag("long")
@Tag("any-jdk")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AbstractFaultDrillTests {

	private static final List<String> KEYS = List.of("a", "b");

	private static final int THREADS = 4;

	private static final Duration LASTS = Duration.ofSeconds(2);

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	final TestDatabase.Server database;

	JdbcTemplate operator;

	private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

	private final Map<String, LongAdder> outcomes = new ConcurrentHashMap<>();

	private final Queue<String> unexpected = new ConcurrentLinkedQueue<>();

	AbstractFaultDrillTests(TestDatabase.Server database) {
		this.database = database;
	}

	@BeforeAll
	void start() {
		this.database.start();
		this.operator = new JdbcTemplate(this.database.dataSource());
		createUser();
		DataSource dataSource = this.database.dataSource("app");
		for (int i = 0; i < 2; i++) {
			this.instances
				.add(CommittingWorker.start(dataSource, new JdbcTransactionManager(dataSource), "holdfast.lease=3s"));
		}
		new JdbcTemplate(dataSource).execute("create table entry (name varchar(9), number integer, token bigint)");
	}

	@AfterAll
	void end() {
		this.instances.forEach(ConfigurableApplicationContext::close);
		this.database.close();
	}

	abstract void createUser();

	/**
	 * End the connections of applications.
	 */
	abstract void endConnections();

	abstract void setReadOnly(boolean on);

	abstract void letStatementsTimeOut(boolean on);

	abstract void letNobodyIn(boolean on);

	@ParameterizedTest
	@EnumSource
	void nothingIsDoneTwice(Fault fault) {
		List<Worker> workers = new ArrayList<>();
		this.outcomes.clear();
		for (int i = 0; i < this.instances.size() * THREADS; i++) {
			workers.add(new Worker(this.instances.get(i % this.instances.size())));
		}
		workers.forEach(Thread::start);
		try {
			awaitWorkOf(workers);
			fault.strike(this);
			this.instances.forEach((instance) -> await().atMost(PATIENCE).until(() -> isUp(instance)));
			awaitWorkOf(workers);
		}
		finally {
			workers.forEach((worker) -> worker.ended = true);
		}
		await().atMost(PATIENCE).until(() -> workers.stream().noneMatch(Thread::isAlive));
		System.out.printf("%s, %s: %s%n", this.database.platform(), fault, this.outcomes);
		assertThat(this.unexpected).isEmpty();
		assertThatEntriesFollowTheirTokens();
		KEYS.forEach((key) -> locks(this.instances.get(0)).acquire(LockRequest.of(key).waitFor(PATIENCE)).release());
	}

	private static LockTemplate locks(ConfigurableApplicationContext instance) {
		return instance.getBean(LockTemplate.class);
	}

	private static void awaitWorkOf(List<Worker> workers) {
		workers.forEach((worker) -> {
			long before = worker.entries;
			await().atMost(PATIENCE).until(() -> worker.entries > before + 1);
		});
	}

	private static Health health(ConfigurableApplicationContext instance) {
		return instance.getBean(LocksHealthIndicator.class).health();
	}

	private static boolean isUp(ConfigurableApplicationContext instance) {
		return health(instance).getStatus().equals(Status.UP);
	}

	void awaitDown() {
		this.instances.forEach((instance) -> await().atMost(PATIENCE).until(() -> {
			Health health = health(instance);
			return health.getStatus().equals(Status.DOWN) && health.getDetails().containsKey("error");
		}));
	}

	private void assertThatEntriesFollowTheirTokens() {
		for (String key : KEYS) {
			List<Map<String, Object>> entries = this.operator
				.queryForList("select number, token from entry where name = ? order by number, token", key);
			long last = 0;
			for (int i = 0; i < entries.size(); i++) {
				assertThat(((Number) entries.get(i).get("number")).intValue()).isEqualTo(i + 1);
				assertThat(((Number) entries.get(i).get("token")).longValue()).isGreaterThan(last);
				last = ((Number) entries.get(i).get("token")).longValue();
			}
		}
	}

	/**
	 * What happens.
	 */
	enum Fault {

		KILLED {
			@Override
			void strike(AbstractFaultDrillTests drill) {
				drill.database.process().kill();
				drill.awaitDown();
				drill.database.process().start();
			}
		},

		FROZEN {
			@Override
			void strike(AbstractFaultDrillTests drill) {
				drill.database.process().freeze();
				try {
					drill.awaitDown();
				}
				finally {
					drill.database.process().goOn();
				}
			}
		},

		READ_ONLY {
			@Override
			void strike(AbstractFaultDrillTests drill) {
				drill.setReadOnly(true);
				drill.endConnections();
				drill.awaitDown();
				drill.setReadOnly(false);
			}
		},

		NOBODY_LET_IN {
			@Override
			void strike(AbstractFaultDrillTests drill) {
				drill.letNobodyIn(true);
				drill.endConnections();
				drill.awaitDown();
				drill.letNobodyIn(false);
			}
		},

		STATEMENTS_TIME_OUT {
			@Override
			void strike(AbstractFaultDrillTests drill) {
				drill.letStatementsTimeOut(true);
				drill.endConnections();
				last(() -> {
				});
				drill.letStatementsTimeOut(false);
				drill.endConnections();
			}
		},

		CONNECTIONS_ENDED {
			@Override
			void strike(AbstractFaultDrillTests drill) {
				last(drill::endConnections);
			}
		},

		/** With somebody who locks rows in another order. */
		DEADLOCKS {
			@Override
			void strike(AbstractFaultDrillTests drill) {
				TransactionTemplate transactions = new TransactionTemplate(
						new JdbcTransactionManager(drill.operator.getDataSource()));
				last(() -> {
					try {
						transactions.executeWithoutResult((status) -> {
							for (String key : List.of("b", "a")) {
								drill.operator.update("update holdfast_lock set token = token where lock_key = ?",
										"holdfast:" + key);
							}
							status.setRollbackOnly();
						});
					}
					catch (DataAccessException ex) {
						// it was chosen
					}
				});
			}
		};

		abstract void strike(AbstractFaultDrillTests drill);

		private static void last(Runnable again) {
			long end = System.nanoTime() + LASTS.toNanos();
			while (System.nanoTime() - end < 0) {
				again.run();
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
			}
		}

	}

	/**
	 * A caller.
	 */
	private final class Worker extends Thread {

		private static final String ENTRY = """
				insert into entry (name, number, token)
				select ?, coalesce(max(number), 0) + 1, ? from entry where name = ?""";

		private final Random random = new Random();

		private final LockTemplate locks;

		private final JdbcTemplate jdbc;

		private final TransactionTemplate transactions;

		private volatile long entries;

		private volatile boolean ended;

		private Worker(ConfigurableApplicationContext instance) {
			super("worker");
			this.locks = locks(instance);
			this.jdbc = instance.getBean(JdbcTemplate.class);
			this.transactions = new TransactionTemplate(instance.getBean(JdbcTransactionManager.class));
		}

		@Override
		public void run() {
			while (!this.ended) {
				String outcome = outcome();
				AbstractFaultDrillTests.this.outcomes.computeIfAbsent(outcome, (any) -> new LongAdder()).increment();
			}
		}

		private String outcome() {
			try {
				work();
				return "done";
			}
			catch (LockNotAcquiredException ex) {
				return "denied";
			}
			catch (LockUnavailableException ex) {
				return "unavailable";
			}
			catch (LockLostException ex) {
				return "lost";
			}
			catch (DataAccessException | TransactionException ex) {
				return "failed work";
			}
			catch (Throwable ex) {
				AbstractFaultDrillTests.this.unexpected.add(ex.toString());
				return ex.toString();
			}
		}

		private void work() {
			LockRequest request = request();
			if (this.random.nextInt(4) > 0) {
				this.locks.executeWithoutResult(request, this::number);
				return;
			}
			LockHandle handle = this.locks.acquire(request);
			try {
				handle.extend(Duration.ofSeconds(4));
				number(handle);
			}
			finally {
				handle.release();
			}
		}

		private LockRequest request() {
			LockRequest request = switch (this.random.nextInt(6)) {
				case 0 -> LockRequest.of(KEYS.get(0), KEYS.get(1));
				case 1 -> LockRequest.of(any()).fair();
				case 2 -> LockRequest.of(any()).shared();
				default -> LockRequest.of(any());
			};
			return request.lease(Duration.ofSeconds(1 + this.random.nextInt(3)))
				.waitFor(Duration.ofMillis(this.random.nextInt(3000)));
		}

		private String any() {
			return KEYS.get(this.random.nextInt(KEYS.size()));
		}

		private void number(LockHandle lock) {
			if (lock.mode() == LockMode.SHARED) {
				return;
			}
			this.transactions.executeWithoutResult((status) -> lock.keys()
				.forEach((key) -> this.jdbc.update(ENTRY, key, lock.fencingToken(key), key)));
			this.entries++;
		}

	}

}
