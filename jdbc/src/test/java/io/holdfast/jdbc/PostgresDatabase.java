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
 * A real PostgreSQL. Where the user is root, it runs in a user namespace.
 */
final class PostgresDatabase implements TestDatabase {

	private @Nullable EmbeddedPostgres server;

	@Override
	public void start() {
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

	@Override
	public void close() {
		try {
			server().close();
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
