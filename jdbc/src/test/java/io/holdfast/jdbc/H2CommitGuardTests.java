package io.holdfast.jdbc;

/**
 * Commits in H2.
 */
class H2CommitGuardTests extends AbstractCommitGuardTests {

	H2CommitGuardTests() {
		super(new H2Database());
	}

}
