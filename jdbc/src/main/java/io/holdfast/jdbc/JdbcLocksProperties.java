package io.holdfast.jdbc;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;
import org.springframework.util.Assert;

/**
 * Properties of locks in a database.
 */
@ConfigurationProperties("holdfast.jdbc")
class JdbcLocksProperties extends DatabaseInitializationProperties {

	static final String TABLE_PREFIX = "holdfast_";

	private static final Pattern NAME = Pattern.compile("([\\p{L}_][\\w\\p{L}$]*[.])?[\\p{L}_][\\w\\p{L}$]*");

	/**
	 * Name of the DataSource bean whose database has the locks. If not set, the only or
	 * primary one.
	 */
	private @Nullable String datasource;

	/**
	 * Prefix of the name of the table with the locks. May begin with a schema and a dot.
	 */
	private String tablePrefix = TABLE_PREFIX;

	/**
	 * Whether a transaction on the same database commits only while its thread's locks
	 * are held, which is checked and pinned inside it.
	 */
	private boolean guardCommits = true;

	// The script can be run again, so that each of its failures matters
	JdbcLocksProperties() {
		setContinueOnError(false);
	}

	public @Nullable String getDatasource() {
		return this.datasource;
	}

	public void setDatasource(@Nullable String datasource) {
		this.datasource = datasource;
	}

	public String getTablePrefix() {
		return this.tablePrefix;
	}

	public void setTablePrefix(String tablePrefix) {
		Assert.isTrue(NAME.matcher(tablePrefix).matches(),
				"It must have only letters, digits and underscores, maybe after a schema and a dot");
		this.tablePrefix = tablePrefix;
	}

	public boolean isGuardCommits() {
		return this.guardCommits;
	}

	public void setGuardCommits(boolean guardCommits) {
		this.guardCommits = guardCommits;
	}

	@Override
	public String getDefaultSchemaLocation() {
		return "classpath:io/holdfast/jdbc/schema-@@platform@@.sql";
	}

}
