package io.holdfast.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Objects;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/**
 * A real PostgreSQL. Where the user is root, it runs in a user namespace, if the machine
 * allows that.
 */
final class PostgresDatabase implements TestDatabase {

	private @Nullable EmbeddedPostgres server;

	@Override
	public void start() {
		TestDatabase.assume(isPossible(), "PostgreSQL refuses to run as root, and 'unshare -U', which would hide that"
				+ " from it, fails on this machine: run these tests as another user");
		try {
			this.server = EmbeddedPostgres.builder()
				.setPGStartupWait(Duration.ofMinutes(2))
				.setServerConfig("fsync", "off")
				.setServerConfig("max_connections", "500")
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isPossible() {
		if (!System.getProperty("user.name").equals("root")) {
			return true;
		}
		try {
			return new ProcessBuilder("unshare", "-U", "true").start().waitFor() == 0;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		try {
			if (this.server != null) {
				this.server.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	EmbeddedPostgres server() {
		return Objects.requireNonNull(this.server);
	}

	@Override
	public String platform() {
		return "postgresql";
	}

	@Override
	public DataSource dataSource() {
		return new SimpleDriverDataSource(new org.postgresql.Driver(), server().getJdbcUrl("postgres", "postgres"),
				"postgres", "postgres");
	}

}
