package io.holdfast.actuate;

import java.util.List;

import io.holdfast.LockRequest;
import io.holdfast.engine.TestInstance;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks by the beginning of their keys, and by their names.
 */
class LocksQueryTests {

	private final LocalLocks locks = new LocalLocks();

	private final TestInstance shop = new TestInstance((id) -> new LocalLockStore(this.locks));

	private final TestInstance till = new TestInstance((id) -> new LocalLockStore(this.locks));

	@AfterEach
	void close() {
		this.shop.close();
		this.till.close();
	}

	private static List<String> keys(TestInstance instance, @Nullable String scope, @Nullable String limit,
			@Nullable String prefix, @Nullable String name) {
		return endpoint(instance).locks(scope, limit, prefix, name, null)
			.locks()
			.stream()
			.map(LockDescriptor::key)
			.toList();
	}

	private static LocksEndpoint endpoint(TestInstance instance) {
		return new LocksEndpoint(instance.registry(), new InstanceDetails("shop"));
	}

	@ParameterizedTest
	@CsvSource({ "order, , order-1|order:1|order:2", "order:, , order:1|order:2", "order:2, , order:2", "x, , ''",
			", order, order:1|order:2", ", ord, ''", "'', , item:1|order-1|order:2|order:1" })
	void prefixAndNameChooseLocks(@Nullable String prefix, @Nullable String name, String expected) {
		this.shop.template().acquire("item:1");
		this.shop.template().acquire("order-1");
		this.shop.template().acquire(LockRequest.of("1").name("order"));
		this.shop.template().acquire("order:2");
		List<String> wanted = expected.isEmpty() ? List.of() : List.of(expected.split("\\|"));
		assertThat(keys(this.shop, null, null, prefix, name)).containsExactlyInAnyOrderElementsOf(wanted);
		assertThat(keys(this.till, "cluster", null, prefix, name)).containsExactlyInAnyOrderElementsOf(wanted);
		assertThat(keys(this.till, null, null, prefix, name)).isEmpty();
	}

	@Test
	void othersDoNotCountForTheLimit() {
		this.shop.template().acquire(LockRequest.of("a", "b", "c", "d"));
		assertThat(keys(this.shop, null, "1", "d", null)).containsExactly("d");
		assertThat(keys(this.till, "cluster", "1", "d", null)).containsExactly("d");
		assertThat(endpoint(this.till).locks("cluster", "1", "d", null, null).truncated()).isNull();
	}

}
