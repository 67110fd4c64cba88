package io.holdfast.jdbc;

/**
 * Commits in PostgreSQL.
 */
class PostgresCommitGuardTests extends AbstractCommitGuardTests {

	PostgresCommitGuardTests() {
		super(new PostgresDatabase());
	}

}
