package io.holdfast.jdbc;

import javax.sql.DataSource;

/**
 * A database that runs for as long as a test class does.
 */
interface TestDatabase extends AutoCloseable {

	void start();

	@Override
	void close();

	/**
	 * Return the name of its schema script.
	 */
	String platform();

	DataSource dataSource();

}
