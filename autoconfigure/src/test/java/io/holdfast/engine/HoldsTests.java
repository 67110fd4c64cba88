package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.local.LocalStores;
import io.holdfast.test.Threads;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.test.util.ReflectionTestUtils;

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
	 * If each look went through all keys for each key, this would take longer, too.
	 */
	@Test
	void ofManyKeysAreLookedAtQuickly() {
		List<String> keys = IntStream.range(0, LockRequest.MOST_KEYS).mapToObj((number) -> "key-" + number).toList();
		try (TestInstance instance = TestInstance.unobserved(new LocalStores()::open);
				LockHandle all = instance.template().acquire(LockRequest.of(keys).lease(Duration.ofMinutes(10)))) {
			for (int i = 0; i < HOLDS / 2; i++) {
				assertThat(instance.registry().held()).hasSize(1);
			}
			assertThat(all.isHeld()).isTrue();
		}
	}

	/**
	 * A pooled thread may outlive the application: what it keeps must not be of its class
	 * loader.
	 */
	@Test
	void leaveNothingInTheThreadsThatHadThem() {
		try (TestInstance instance = TestInstance.unobserved(new LocalStores()::open)) {
			instance.template().acquire("one").close();
			LockHandle two = instance.template().acquire("two");
			Object holds = ReflectionTestUtils.getField(instance.registry(), "holds");
			ThreadLocal<?> ofThreads = (ThreadLocal<?>) ReflectionTestUtils.getField(holds, "ofThreads");
			assertThat(ofThreads.get()).asInstanceOf(InstanceOfAssertFactories.MAP).hasSize(1);
			two.close();
			assertThat(ofThreads.get()).asInstanceOf(InstanceOfAssertFactories.MAP).isEmpty();
			assertThat(ofThreads.get().getClass().getClassLoader()).as("that of the JDK").isNull();
		}
	}

	@Test
	void thatOtherThreadsReleaseAreForgotten() {
		try (TestInstance instance = TestInstance.unobserved(new LocalStores()::open)) {
			for (int i = 0; i < 1_000; i++) {
				LockHandle handle = instance.template().acquire("key-" + i);
				assertThat(Threads.join(handle.releaseAsync())).isEqualTo(ReleaseResult.RELEASED);
			}
			Object holds = ReflectionTestUtils.getField(instance.registry(), "holds");
			ThreadLocal<?> ofThreads = (ThreadLocal<?>) ReflectionTestUtils.getField(holds, "ofThreads");
			assertThat(ofThreads.get()).asInstanceOf(InstanceOfAssertFactories.MAP).hasSizeLessThan(20);
		}
	}

	/**
	 * On a machine that is very busy they are not to be renewed meanwhile.
	 */
	private static LockRequest request(String key) {
		return LockRequest.of(key).lease(Duration.ofMinutes(10));
	}

}
