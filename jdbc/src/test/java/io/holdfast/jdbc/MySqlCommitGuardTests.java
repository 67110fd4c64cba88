package io.holdfast.jdbc;

/**
 * Commits in MySQL.
 */
class MySqlCommitGuardTests extends AbstractCommitGuardTests {

	MySqlCommitGuardTests() {
		super(new MySqlDatabase());
	}

}
