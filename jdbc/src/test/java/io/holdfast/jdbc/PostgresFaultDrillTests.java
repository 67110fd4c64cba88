package io.holdfast.jdbc;

/**
 * What happens to PostgreSQL.
 */
class PostgresFaultDrillTests extends AbstractFaultDrillTests {

	PostgresFaultDrillTests() {
		super(new PostgresDatabase());
	}

	@Override
	void createUser() {
		this.operator.execute("create role app login");
		this.operator.execute("grant all on schema public to app");
	}

	@Override
	void endConnections() {
		this.operator.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'");
	}

	@Override
	void setReadOnly(boolean on) {
		this.operator.execute("alter role app set default_transaction_read_only = " + on);
	}

	@Override
	void letStatementsTimeOut(boolean on) {
		this.operator.execute("alter role app set statement_timeout = " + (on ? 1 : 0));
	}

	@Override
	void letNobodyIn(boolean on) {
		this.operator.execute("alter role app " + (on ? "nologin" : "login"));
	}

}
