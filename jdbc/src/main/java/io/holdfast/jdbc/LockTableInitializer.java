package io.holdfast.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.jdbc.JdbcLocksFailureAnalyzer.UnusableDatabaseException;
import org.jspecify.annotations.Nullable;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Creates the table with the locks, under its configured name.
 */
final class LockTableInitializer extends PropertiesBasedDataSourceScriptDatabaseInitializer<JdbcLocksProperties> {

	private static final String DEFAULT_NAME = JdbcLocksProperties.TABLE_PREFIX + "lock";

	private final String name;

	LockTableInitializer(DataSource dataSource, JdbcLocksProperties properties) {
		super(dataSource, properties);
		this.name = properties.getTablePrefix() + "lock";
	}

	/**
	 * Return what creates the table, if there is something to do.
	 */
	static @Nullable LockTableInitializer of(DataSource dataSource, JdbcLocksProperties properties) {
		// A database that is down is no embedded one
		DatabaseInitializationMode mode = properties.getInitializeSchema();
		if (mode == DatabaseInitializationMode.NEVER || (mode == DatabaseInitializationMode.EMBEDDED
				&& !EmbeddedDatabaseConnection.isEmbedded(dataSource))) {
			return null;
		}
		try (Connection connection = dataSource.getConnection()) {
			Dialect.of(connection); // refuses those it does not know
		}
		catch (SQLException ex) {
			throw noTable(properties.getTablePrefix() + "lock", ex);
		}
		return new LockTableInitializer(dataSource, properties);
	}

	private static UnusableDatabaseException noTable(String name, Exception cause) {
		return new UnusableDatabaseException(
				"The table %s, which is to have the locks, could not be created: %s".formatted(name,
						NestedExceptionUtils.getMostSpecificCause(cause).getMessage()),
				"Correct 'spring.datasource.*', the rights of its user, or 'holdfast.jdbc.table-prefix'. Where the table"
						+ " is made elsewhere, or the application is to start while its database is down, set"
						+ " 'holdfast.jdbc.initialize-schema' to 'never'.",
				cause);
	}

	@Override
	public boolean initializeDatabase() {
		try {
			return super.initializeDatabase();
		}
		catch (RuntimeException ex) {
			if (isThere()) { // another instance or user was faster
				return false;
			}
			throw noTable(this.name, ex);
		}
	}

	private boolean isThere() {
		try {
			new JdbcTemplate(getDataSource()).queryForList("select token from " + this.name + " where 1 = 0");
			return true;
		}
		catch (DataAccessException ex) {
			return false;
		}
	}

	@Override
	protected void runScripts(Scripts scripts) {
		List<Resource> named = new ArrayList<>();
		scripts.forEach((script) -> named.add(named(script)));
		super.runScripts(new Scripts(named).continueOnError(scripts.isContinueOnError())
			.separator(scripts.getSeparator())
			.encoding(StandardCharsets.UTF_8));
	}

	private Resource named(Resource script) {
		try {
			String text = script.getContentAsString(StandardCharsets.UTF_8).replace(DEFAULT_NAME, this.name);
			return new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8), script.getDescription());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
