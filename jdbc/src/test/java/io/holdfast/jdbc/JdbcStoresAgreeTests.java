package io.holdfast.jdbc;

import io.holdfast.differential.AbstractStoresAgreeTests;
import io.holdfast.differential.Side;
import org.junit.jupiter.api.Nested;

/**
 * The store in a database and the store in memory.
 */
class JdbcStoresAgreeTests {

	@Nested
	class OnPostgres extends AbstractStoresAgreeTests {

		OnPostgres() {
			super(4_000);
		}

		@Override
		protected Side side() {
			return new JdbcSide(new PostgresDatabase(), KEYS);
		}

	}

	@Nested
	class OnH2 extends AbstractStoresAgreeTests {

		OnH2() {
			super(4_000);
		}

		@Override
		protected Side side() {
			return new JdbcSide(new H2Database(), KEYS);
		}

	}

	@Nested
	class OnMariaDb extends AbstractStoresAgreeTests {

		OnMariaDb() {
			super(4_000);
		}

		@Override
		protected Side side() {
			return new JdbcSide(new MariaDbDatabase(), KEYS);
		}

	}

	@Nested
	class OnMySql extends AbstractStoresAgreeTests {

		OnMySql() {
			super(4_000);
		}

		@Override
		protected Side side() {
			return new JdbcSide(new MySqlDatabase(), KEYS);
		}

	}

}
