package io.holdfast.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * A real MariaDB, where the machine has one.
 */
final class MariaDbDatabase implements TestDatabase {

	private static final Path SERVER = Path.of("/usr/sbin/mariadbd");

	private @Nullable Path directory;

	private @Nullable Process server;

	private int port;

	@Override
	public void start() {
		TestDatabase.assume(Files.isExecutable(SERVER), "There is no MariaDB on this machine");
		try {
			this.directory = Files.createTempDirectory("mariadb");
			run("mariadb-install-db", "--auth-root-authentication-method=normal", "--skip-test-db").waitFor();
			try (ServerSocket free = new ServerSocket(0)) {
				this.port = free.getLocalPort();
			}
			this.server = run(SERVER.toString(), "--socket=" + this.directory.resolve("socket"), "--port=" + this.port,
					"--bind-address=127.0.0.1", "--innodb-flush-log-at-trx-commit=0", "--max-connections=500");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		await().atMost(Duration.ofMinutes(2)).ignoreExceptions().until(this::createDatabase);
	}

	private Process run(String program, String... options) throws IOException {
		Path home = Objects.requireNonNull(this.directory);
		List<String> command = new ArrayList<>(List.of(program, "--no-defaults",
				"--user=" + System.getProperty("user.name"), "--datadir=" + home.resolve("data")));
		command.addAll(List.of(options));
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("log").toFile()))
			.start();
	}

	private boolean createDatabase() throws Exception {
		try (Connection connection = dataSource("mysql").getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute("create database locks");
			return true;
		}
	}

	@Override
	public void close() {
		try {
			if (this.server != null) {
				this.server.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
			}
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public String platform() {
		return "mariadb";
	}

	@Override
	public DataSource dataSource() {
		return dataSource("locks");
	}

	private DataSource dataSource(String database) {
		return new SimpleDriverDataSource(new org.mariadb.jdbc.Driver(),
				"jdbc:mariadb://127.0.0.1:" + this.port + "/" + database, "root", "");
	}

}
