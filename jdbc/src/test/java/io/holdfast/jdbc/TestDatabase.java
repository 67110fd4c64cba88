package io.holdfast.jdbc;

import org.junit.jupiter.api.Assumptions;

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

	/**
	 * Skip tests where a database cannot run, and say why: of a class that is skipped,
	 * reports do not.
	 */
	static void assume(boolean possible, String reason) {
		if (!possible) {
			System.out.println("Tests are skipped: " + reason);
		}
		Assumptions.assumeTrue(possible, reason);
	}

	/**
	 * A database to which something can happen.
	 */
	interface Server extends TestDatabase {

		ServerProcess process();

		/**
		 * Return where a user without a password gets connections, who may do less than
		 * the one of tests.
		 */
		DataSource dataSource(String user);

	}

}
