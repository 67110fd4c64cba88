package io.holdfast.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.stream.Stream;

import io.holdfast.test.RedisProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * A PostgreSQL that flushes each commit to the disk, as it does by default, and has all
 * tables for locks. It counts statements, those that begin and end transactions as well.
 */
final class PostgresServer implements Server {

	private final EmbeddedPostgres postgres = start();

	private final SingleConnectionDataSource connection = new SingleConnectionDataSource(
			ClientSettings.databaseUrl(port()), ClientSettings.DATABASE, "", true);

	private final JdbcTemplate jdbc = new JdbcTemplate(this.connection);

	PostgresServer() {
		this.jdbc.execute("create extension pg_stat_statements");
		new ResourceDatabasePopulator(new ClassPathResource("io/holdfast/jdbc/schema-postgresql.sql"),
				new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql"))
			.execute(this.connection);
		// As its manual has it
		this.jdbc.execute("create table shedlock (name varchar(64) not null primary key, lock_until timestamp not null,"
				+ " locked_at timestamp not null, locked_by varchar(255) not null)");
	}

	// What it sets itself are other defaults
	private static EmbeddedPostgres start() {
		try {
			return EmbeddedPostgres.builder()
				.setPort(RedisProcess.freePort())
				.setPGStartupWait(Duration.ofMinutes(2))
				.setServerConfig("unix_socket_directories", "")
				.setServerConfig("fsync", "on")
				.setServerConfig("synchronous_commit", "on")
				.setServerConfig("shared_preload_libraries", "pg_stat_statements")
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public int port() {
		return this.postgres.getPort();
	}

	@Override
	public void clear() {
		this.jdbc.execute("truncate holdfast_lock, int_lock, shedlock");
	}

	@Override
	public long count(String... keys) {
		return number("select count(*) from holdfast_lock where holder is not null and lock_key = any(?)",
				(Object) keys);
	}

	@Override
	public Stats stats() {
		long process = number("select pg_backend_pid()");
		Duration cpu = ProcessHandle.of(process)
			.flatMap(ProcessHandle::parent)
			.map(ProcessHandle::children)
			.orElseGet(Stream::empty)
			.flatMap((child) -> child.info().totalCpuDuration().stream())
			.reduce(Duration.ZERO, Duration::plus);
		return new Stats(number("select sum(calls) from pg_stat_statements"), 0, 0, cpu.toMillis() / 1e3);
	}

	private long number(String query, Object... arguments) {
		Long number = this.jdbc.queryForObject(query, Long.class, arguments);
		return (number != null) ? number : 0;
	}

	@Override
	public void close() {
		this.connection.destroy();
		try {
			this.postgres.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
