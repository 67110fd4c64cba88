package io.holdfast.local;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Granted;
import org.junit.jupiter.api.Test;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is left of locks whose lease has run out.
 */
class LocalLocksTests {

	private static final Duration LEASE = Duration.ofSeconds(1);

	private final AtomicLong nanos = new AtomicLong();

	private final LocalLocks locks = new LocalLocks(this.nanos::get, InstantSource.system());

	private final LocalLockStore store = new LocalLockStore(this.locks);

	@Test
	void locksThatHaveRunOutTakeNoMemory() {
		acquire(0, 10_000, LEASE);
		assertThat(size()).isEqualTo(10_000);
		this.nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
		acquire(10_000, 20_000, LEASE);
		assertThat(size()).isEqualTo(10_000);
	}

	private void acquire(int from, int to, Duration lease) {
		for (int i = from; i < to; i++) {
			assertThat(this.store.acquire(Claims.exclusive("key-" + i, "one:" + i, lease, i, null)))
				.isInstanceOf(Granted.class);
		}
	}

	private int size() {
		return ((Map<?, ?>) ReflectionTestUtils.getField(this.locks, "states")).size();
	}

}
