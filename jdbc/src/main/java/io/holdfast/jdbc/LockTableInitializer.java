package io.holdfast.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;

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
	 * Return whether there is something to do. A database that is down is no embedded
	 * one.
	 */
	static boolean isWanted(DataSource dataSource, JdbcLocksProperties properties) {
		DatabaseInitializationMode mode = properties.getInitializeSchema();
		return mode == DatabaseInitializationMode.ALWAYS
				|| (mode == DatabaseInitializationMode.EMBEDDED && EmbeddedDatabaseConnection.isEmbedded(dataSource));
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
