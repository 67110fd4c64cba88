package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.jdbc.Dialect.Rows;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import javax.sql.DataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Commits in PostgreSQL.
 */
class PostgresCommitGuardTests extends AbstractCommitGuardTests {

	PostgresCommitGuardTests() {
		super(new PostgresDatabase());
	}

	@Test
	void holdersRenewAndReleaseALockWhileTheTransactionOfOneCommits() {
		LockRequest shared = LockRequest.of("report").shared();
		LockHandle lock = locks(this.one).acquire(shared);
		LockHandle other = locks(this.two).acquire(shared.ownedByHandle());
		commit(jdbcTransactions(), () -> {
			assertThat(lock.extend(Duration.ofMinutes(1))).isTrue();
			assertThat(other.extend(Duration.ofMinutes(1))).isTrue();
			assertThat(other.release()).isEqualTo(ReleaseResult.RELEASED);
			Threads.call(() -> triesThreeTimes("report"));
		});
		assertThat(lock.release()).isEqualTo(ReleaseResult.RELEASED);
	}

	/**
	 * Neither by the one statement that takes a free lock, nor by the rules.
	 */
	@Test
	void nobodyElseGetsItBeforeTheTransactionHasEndedEvenIfTheLeaseIsOver() {
		LockHandle lock = locks(this.one).acquire(LockRequest.of("over"));
		commit(jdbcTransactions(), () -> Threads.call(() -> {
			assertThat(
					this.jdbc.update("update holdfast_lock set lease_end = '2000-01-01' where lock_key like '%over'"))
				.isOne();
			return triesThreeTimes("over");
		}));
		lock.release();
	}

	/**
	 * A pin waits for no renewal, but sees each grant, also one that is made after the
	 * pin has begun.
	 */
	@ParameterizedTest
	@EnumSource
	void pinSeesEachGrant(LockMode mode) throws SQLException {
		LockRequest request = LockRequest.of(mode.name()).mode(mode).ownedByHandle();
		locks(this.two).acquire(request).release();
		String pin = Dialect.POSTGRESQL.read("holdfast_lock", 1, Rows.PINNED)
			.replace("where", "where pg_advisory_xact_lock_shared(1)::text is not null and");
		try (Connection connection = this.one.getBean(DataSource.class).getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute("select pg_advisory_lock(1)");
			CompletableFuture<String> seen = CompletableFuture.supplyAsync(
					() -> this.jdbc.queryForObject(pin, (row, number) -> row.getString("holder"), "holdfast:" + mode));
			await().until(() -> this.jdbc.queryForObject(
					"select exists (select from pg_locks where locktype = 'advisory' and not granted)", Boolean.class));
			LockHandle lock = locks(this.two).acquire(request);
			statement.execute("select pg_advisory_unlock(1)");
			assertThat(seen.join()).isNotNull();
			lock.release();
		}
	}

}
