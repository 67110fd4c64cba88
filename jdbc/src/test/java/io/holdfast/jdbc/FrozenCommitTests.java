package io.holdfast.jdbc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.test.JavaCommand;
import io.holdfast.test.Signals;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import javax.sql.DataSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A holder that is frozen between its last write and its commit, for longer than its
 * lease, while another instance does the same work: nothing is done twice. With
 * {@code -Ddrill.rounds=1000} as often as one likes.
 */
@Tag("slow")
@Tag("any-jdk")
@Timeout(value = 1, unit = TimeUnit.HOURS)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FrozenCommitTests {

	private static final int ROUNDS = Integer.getInteger("drill.rounds", 3);

	private static final int MOST_ROUNDS = 100;

	private static final String NOWHERE = "nowhere";

	private static final long LATEST_STOP_NANOS = 6_000_000;

	private final PostgresDatabase database = new PostgresDatabase();

	private final Random random = new Random();

	private ConfigurableApplicationContext other;

	private JdbcTemplate jdbc;

	@BeforeAll
	void start() {
		this.database.start();
		DataSource dataSource = this.database.dataSource();
		this.other = CommittingWorker.start(dataSource, new JdbcTransactionManager(dataSource));
		this.jdbc = this.other.getBean(JdbcTemplate.class);
		this.jdbc.execute("create table entry (number integer)");
	}

	@AfterAll
	void end() {
		if (this.other != null) {
			this.other.close();
		}
		this.database.close();
	}

	@BeforeEach
	void clear() {
		this.jdbc.execute("truncate entry");
	}

	private int done() {
		return this.jdbc.queryForObject("select count(*) from entry", Integer.class);
	}

	private int doneTwice() {
		return this.jdbc.queryForObject("select count(*) - count(distinct number) from entry", Integer.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { CommittingWorker.WRITTEN, CommittingWorker.COMMITTING, NOWHERE })
	void nothingIsDoneTwice(String point) throws Exception {
		int committed = drill(point, CommittingWorker.PINNED);
		assertThat(doneTwice()).isZero();
		// One that committed under its pin may have found the lease over after that
		assertThat(done()).isPositive().isGreaterThanOrEqualTo(committed);
	}

	/**
	 * The drill shows what it is to show, if not at once.
	 */
	@ParameterizedTest
	@ValueSource(strings = { CommittingWorker.CHECKED, CommittingWorker.UNLOCKED })
	void withoutThePinSomethingIs(String protection) throws Exception {
		for (int rounds = 0; rounds < MOST_ROUNDS && doneTwice() == 0; rounds += ROUNDS) {
			drill(CommittingWorker.COMMITTING, protection);
		}
		assertThat(doneTwice()).isPositive();
	}

	// Returns how often either says that it has committed
	private int drill(String point, String protection) throws Exception {
		List<String> command = JavaCommand.shortLived("-Xmx256m", CommittingWorker.class.getName(), this.database.url(),
				point, protection);
		ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
		builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
		Process worker = builder.start();
		try (BufferedReader said = new BufferedReader(
				new InputStreamReader(worker.getInputStream(), StandardCharsets.UTF_8));
				PrintStream told = new PrintStream(worker.getOutputStream(), true, StandardCharsets.UTF_8)) {
			await(said, "ready");
			int committed = 0;
			for (int round = 0; round < ROUNDS; round++) {
				committed += round(point, protection, worker, said, told);
			}
			System.out.printf("%s, frozen %s: %d times, %d done, %d twice%n", protection, point, ROUNDS, done(),
					doneTwice());
			return committed;
		}
		finally {
			worker.destroyForcibly().waitFor();
		}
	}

	private int round(String point, String protection, Process worker, BufferedReader said, PrintStream told)
			throws IOException {
		told.println("begin");
		if (point.equals(NOWHERE)) {
			LockSupport.parkNanos(this.random.nextLong(LATEST_STOP_NANOS));
		}
		else {
			while (!await(said, point, "false").equals(point)) {
				told.println("begin"); // it had lost the lock before, as the machine
										// stood still
			}
		}
		Signals.stop(worker);
		if (!point.equals(NOWHERE)) {
			told.println("go on");
		}
		// As long as two leases, or until it is granted
		boolean byOther = new CommittingWorker(this.other, protection).number(CommittingWorker.LEASE.multipliedBy(2),
				() -> {
				});
		Signals.goOn(worker);
		boolean byWorker = Boolean.parseBoolean(await(said, "true", "false"));
		return (byOther ? 1 : 0) + (byWorker ? 1 : 0);
	}

	private static String await(BufferedReader said, String... expected) throws IOException {
		String line = said.readLine();
		while (line != null && !List.of(expected).contains(line)) {
			line = said.readLine();
		}
		assertThat(line).as("The worker has ended").isNotNull();
		return line;
	}

}
