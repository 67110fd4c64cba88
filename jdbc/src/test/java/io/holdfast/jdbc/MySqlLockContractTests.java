package io.holdfast.jdbc;

import io.holdfast.engine.AbstractContractTests;
import io.holdfast.engine.AbstractLockFamilyTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, and what operators see, in MySQL, where a property names one.
 */
class MySqlLockContractTests extends AbstractContractTests {

	@RegisterExtension
	static final LockStores stores = JdbcStores.on(new MySqlDatabase());

	@Nested
	@Tag("slow")
	@Tag("long")
	class Kinds extends AbstractLockFamilyTests {

	}

}
