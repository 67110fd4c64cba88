package io.holdfast.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.holdfast.test.RedisProcess;
import org.jspecify.annotations.Nullable;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.FileSystemUtils;

/**
 * A real MariaDB: that of the machine, where it has one, or the one whose programs are in
 * a folder that a property names.
 */
class MariaDbDatabase implements TestDatabase.Server {

	private final @Nullable Path server;

	private @Nullable Path directory;

	private @Nullable ServerProcess process;

	private int port;

	MariaDbDatabase() {
		this(program("holdfast.test.mariadb", "mariadbd", Path.of("/usr/sbin/mariadbd")));
	}

	MariaDbDatabase(@Nullable Path server) {
		this.server = server;
	}

	static @Nullable Path program(String property, String name, @Nullable Path otherwise) {
		String folder = System.getProperty(property);
		return (folder != null) ? Path.of(folder, name) : otherwise;
	}

	@Override
	public void start() {
		TestDatabase.assume(this.server != null && Files.isExecutable(this.server),
				"There is no %s on this machine".formatted(platform()));
		try {
			this.port = RedisProcess.freePort();
			Path home = Files.createTempDirectory(platform());
			this.directory = home;
			Path log = home.resolve("log");
			int installed = new ProcessBuilder(command(install())).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.start()
				.waitFor();
			if (installed != 0) {
				throw new IllegalStateException(Files.readString(log));
			}
			this.process = ServerProcess.start(command(
					List.of(String.valueOf(this.server), "--socket=" + home.resolve("socket"), "--port=" + this.port,
							"--bind-address=127.0.0.1", "--innodb-flush-log-at-trx-commit=0", "--max-connections=500")),
					log, this::createDatabase);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return what makes the files of a server, without what that has in common with what
	 * starts it.
	 */
	List<String> install() {
		Path program = program("holdfast.test.mariadb", "mariadb-install-db", Path.of("mariadb-install-db"));
		return List.of(String.valueOf(program), "--auth-root-authentication-method=normal", "--skip-test-db");
	}

	private List<String> command(List<String> programAndOptions) {
		List<String> command = new ArrayList<>(programAndOptions);
		command.addAll(1, List.of("--no-defaults", "--user=" + System.getProperty("user.name"),
				"--datadir=" + Objects.requireNonNull(this.directory).resolve("data")));
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
		return new SimpleDriverDataSource(driver(),
				"jdbc:%s://127.0.0.1:%d/%s".formatted(platform(), this.port, database), user, "");
	}

	Driver driver() {
		return new org.mariadb.jdbc.Driver();
	}

}
