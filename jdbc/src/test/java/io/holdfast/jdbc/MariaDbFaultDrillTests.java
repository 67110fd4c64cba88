package io.holdfast.jdbc;

import org.springframework.dao.DataAccessException;

/**
 * What happens to MariaDB, where the machine has one.
 */
class MariaDbFaultDrillTests extends AbstractFaultDrillTests {

	MariaDbFaultDrillTests() {
		super(new MariaDbDatabase());
	}

	@Override
	void createUser() {
		this.operator.execute("create user app");
		this.operator.execute("grant all on locks.* to app");
	}

	@Override
	void endConnections() {
		this.operator.queryForList("select id from information_schema.processlist where user = 'app'", Long.class)
			.forEach((id) -> {
				try {
					this.operator.execute("kill " + id);
				}
				catch (DataAccessException ex) {
					// it has ended
				}
			});
	}

	@Override
	void setReadOnly(boolean on) {
		this.operator.execute("set global read_only = " + on);
	}

	@Override
	void letStatementsTimeOut(boolean on) {
		this.operator.execute("set global max_statement_time = " + (on ? "0.001" : "0"));
	}

	@Override
	void letNobodyIn(boolean on) {
		this.operator.execute("alter user app account " + (on ? "lock" : "unlock"));
	}

}
