package io.holdfast.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.holdfast.test.RedisProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.FileSystemUtils;

/**
 * A real PostgreSQL: that of the tests, or the one whose archive a property names. Where
 * the user is root, it runs in a user namespace, if the machine allows that.
 */
final class PostgresDatabase implements TestDatabase.Server {

	private static final @Nullable String ARCHIVE = System.getProperty("holdfast.test.postgres");

	// A socket's file would be in the way of others with that port, whoever left it
	private static final Map<String, String> SETTINGS = Map.of("fsync", "off", "max_connections", "500",
			"unix_socket_directories", "");

	private @Nullable Path data;

	private @Nullable String program;

	private int port;

	private @Nullable ServerProcess process;

	@Override
	public void start() {
		TestDatabase.assume(isPossible(), "PostgreSQL refuses to run as root, and 'unshare -U', which would hide that"
				+ " from it, fails on this machine: run these tests as another user");
		try {
			Path directory = Files.createTempDirectory("postgres").resolve("data");
			EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
				.setPort(RedisProcess.freePort())
				.setPGStartupWait(Duration.ofMinutes(2))
				.setDataDirectory(directory)
				.setCleanDataDirectory(false)
				.setRegisterShutdownHook(false);
			if (ARCHIVE != null) {
				builder.setPgBinaryResolver((system, hardware) -> archive());
			}
			SETTINGS.forEach(builder::setServerConfig);
			int embedded = builder.start().getPort();
			ProcessHandle server = ProcessHandle
				.of(Long.parseLong(Files.readAllLines(directory.resolve("postmaster.pid")).get(0)))
				.orElseThrow();
			adopt(directory, embedded, server, server.info().command().orElseThrow());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static InputStream archive() {
		try {
			return Files.newInputStream(Path.of(Objects.requireNonNull(ARCHIVE)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void adopt(Path directory, int port, @Nullable ProcessHandle server, String program) {
		this.data = directory;
		this.port = port;
		// Nobody else has these files: who is said to is gone
		List<String> command = new ArrayList<>(
				List.of("sh", "-c", "rm -f \"$0/postmaster.pid\"; exec \"$@\"", directory.toString()));
		if (isRoot()) {
			command.addAll(List.of("unshare", "-U"));
		}
		command.addAll(List.of(program, "-D", directory.toString(), "-p", Integer.toString(port)));
		SETTINGS.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
		this.process = new ServerProcess(server, command, directory.resolveSibling("log"),
				() -> dataSource().getConnection().close());
		this.program = program;
	}

	/**
	 * Restart it with a standby that follows it.
	 * @param settings of this one
	 */
	PostgresDatabase startStandby(String... settings) {
		PostgresDatabase standby = new PostgresDatabase();
		try {
			process().kill();
			Path copy = Files.createTempDirectory("standby").resolve("data");
			FileSystemUtils.copyRecursively(data(), copy);
			standby.adopt(copy, RedisProcess.freePort(), null, Objects.requireNonNull(this.program));
			standby.set("primary_conninfo = 'host=localhost port=" + this.port + " user=postgres'");
			Files.createFile(copy.resolve("standby.signal"));
			// the server wants files that nobody else may read
			new ProcessBuilder("chmod", "700", copy.toString()).start().waitFor();
			for (String setting : settings) {
				set(setting);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		process().start();
		standby.process().start();
		return standby;
	}

	/**
	 * Change a setting from the next start on, or from when it is told to look.
	 */
	void set(String setting) {
		try {
			Files.writeString(data().resolve("postgresql.auto.conf"), setting + "\n", StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Path data() {
		return Objects.requireNonNull(this.data);
	}

	private static boolean isRoot() {
		return System.getProperty("user.name").equals("root");
	}

	private static boolean isPossible() {
		if (!isRoot()) {
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
			if (this.process != null) {
				this.process.kill();
				FileSystemUtils.deleteRecursively(data().getParent());
			}
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
		return "postgresql";
	}

	String url() {
		return "jdbc:postgresql://" + address() + "/postgres";
	}

	String address() {
		return "localhost:" + this.port;
	}

	@Override
	public DataSource dataSource() {
		return dataSource("postgres");
	}

	@Override
	public DataSource dataSource(String user) {
		return new SimpleDriverDataSource(new org.postgresql.Driver(), url(), user, "postgres");
	}

}
