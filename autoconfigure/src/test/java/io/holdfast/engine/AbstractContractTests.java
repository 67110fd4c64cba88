package io.holdfast.engine;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * What users and operators can rely on, as far as it may differ from client to client and
 * from database to database.
 */
public abstract class AbstractContractTests {

	@Nested
	class Locks extends AbstractLockContractTests {

	}

	@Nested
	@Tag("any-jdk")
	class View extends AbstractStoreViewTests {

	}

}
