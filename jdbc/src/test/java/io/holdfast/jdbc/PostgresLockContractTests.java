package io.holdfast.jdbc;

import io.holdfast.engine.AbstractLockFamilyTests;
import io.holdfast.engine.AbstractWholeContractTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, and what operators see, in PostgreSQL.
 */
class PostgresLockContractTests extends AbstractWholeContractTests {

	@RegisterExtension
	static final LockStores stores = JdbcStores.on(new PostgresDatabase());

	@Nested
	@Tag("slow")
	class Kinds extends AbstractLockFamilyTests {

	}

}
