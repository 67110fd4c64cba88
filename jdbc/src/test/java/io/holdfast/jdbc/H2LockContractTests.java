package io.holdfast.jdbc;

import io.holdfast.engine.AbstractContractTests;
import io.holdfast.engine.AbstractLockFamilyTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, and what operators see, in H2.
 */
class H2LockContractTests extends AbstractContractTests {

	@RegisterExtension
	static final LockStores stores = JdbcStores.on(new H2Database());

	@Nested
	@Tag("slow")
	class Kinds extends AbstractLockFamilyTests {

	}

}
