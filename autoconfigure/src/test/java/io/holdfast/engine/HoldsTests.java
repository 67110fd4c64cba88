package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.local.LocalStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that holds very many locks. If it looked at all of them for each new one, this
 * would take longer than a test may.
 */
@Tag("slow")
class HoldsTests {

	private static final int HOLDS = 100_000;

	@Test
	void doNotMakeTheNextLockExpensive() {
		try (TestInstance instance = TestInstance.unobserved(new LocalStores()::open)) {
			List<LockHandle> handles = IntStream.range(0, HOLDS)
				.mapToObj((number) -> instance.template().acquire(request("held-" + number)))
				.toList();
			assertThat(instance.registry().operations().heldCount()).isEqualTo(HOLDS);
			assertThat(handles).extracting(LockHandle::release).containsOnly(ReleaseResult.RELEASED);
		}
	}

	/**
	 * On a machine that is very busy they are not to be renewed meanwhile.
	 */
	private static LockRequest request(String key) {
		return LockRequest.of(key).lease(Duration.ofMinutes(10));
	}

}
