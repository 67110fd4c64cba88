package io.holdfast.jdbc;

/**
 * Commits in MariaDB.
 */
class MariaDbCommitGuardTests extends AbstractCommitGuardTests {

	MariaDbCommitGuardTests() {
		super(new MariaDbDatabase());
	}

}
