package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What every store must do for as many keys as a request can have.
 */
interface ManyKeysTests extends LockFamily {

	/**
	 * Return how many keys are asked for: fewer where that takes a test too long.
	 */
	default int keysAtOnce() {
		return LockRequest.MOST_KEYS;
	}

	default LockRequest many() {
		List<String> keys = IntStream.range(0, keysAtOnce()).mapToObj((i) -> key() + "-" + i).toList();
		return LockRequest.of(keys).waitFor(Duration.ofSeconds(30));
	}

	default String last() {
		return key() + "-" + (keysAtOnce() - 1);
	}

	@Test
	default void asManyKeysAsThereCanBeAreAcquiredAllOrNone() {
		LockHandle blocking = two().template().acquire(LockRequest.of(last()));
		assertThat(one().template().tryAcquire(many().waitFor(Duration.ZERO))).isEmpty();
		await().untilAsserted(() -> assertThat(two().registry().operations().view().look(many().keys())).singleElement()
			.satisfies((state) -> assertThat(state.key()).isEqualTo(last())));
		blocking.release();
		LockHandle all = one().template().acquire(many());
		assertThat(all.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(isDenied(two(), LockRequest.of(last()))).isTrue();
		assertThat(all.release()).isEqualTo(ReleaseResult.RELEASED);
		await().until(() -> two().registry().operations().view().look(many().keys()).isEmpty());
	}

}
