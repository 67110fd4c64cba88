package io.holdfast.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.FileSystemUtils;

/**
 * A real MariaDB, where the machine has one.
 */
final class MariaDbDatabase implements TestDatabase.Server {

	private static final Path SERVER = Path.of("/usr/sbin/mariadbd");

	private @Nullable Path directory;

	private @Nullable ServerProcess process;

	private int port;

	@Override
	public void start() {
		TestDatabase.assume(Files.isExecutable(SERVER), "There is no MariaDB on this machine");
		try {
			this.port = TestDatabase.freePort();
			Path home = Files.createTempDirectory("mariadb");
			this.directory = home;
			Path log = home.resolve("log");
			new ProcessBuilder(
					command("mariadb-install-db", "--auth-root-authentication-method=normal", "--skip-test-db"))
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.start()
				.waitFor();
			this.process = ServerProcess.start(
					command(SERVER.toString(), "--socket=" + home.resolve("socket"), "--port=" + this.port,
							"--bind-address=127.0.0.1", "--innodb-flush-log-at-trx-commit=0", "--max-connections=500"),
					log, this::createDatabase);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private List<String> command(String program, String... options) {
		List<String> command = new ArrayList<>(
				List.of(program, "--no-defaults", "--user=" + System.getProperty("user.name"),
						"--datadir=" + Objects.requireNonNull(this.directory).resolve("data")));
		command.addAll(List.of(options));
		return command;
	}

	private void createDatabase() throws SQLException {
		try (Connection connection = dataSource("mysql", "root").getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute("create database if not exists locks");
		}
	}

	@Override
	public void close() {
		try {
			if (this.process != null) {
				this.process.kill();
			}
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public ServerProcess process() {
		return Objects.requireNonNull(this.process);
	}

	@Override
	public String platform() {
		return "mariadb";
	}

	@Override
	public DataSource dataSource() {
		return dataSource("root");
	}

	@Override
	public DataSource dataSource(String user) {
		return dataSource("locks", user);
	}

	private DataSource dataSource(String database, String user) {
		return new SimpleDriverDataSource(new org.mariadb.jdbc.Driver(),
				"jdbc:mariadb://127.0.0.1:" + this.port + "/" + database, user, "");
	}

}
