package io.holdfast.docs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Losing a lock, which is not renewed in these tests so that it happens.
 */
@GuideTest
@Import(LossAlarm.class)
@Tag("slow")
class LossSnippetsTests {

	@Autowired
	private LockTemplate locks;

	@Autowired
	private LossAlarm alarm;

	private final List<String> stored = new ArrayList<>();

	@Test
	void ensureHeld() {
		List<String> lines = List.of("first", "second");
		// snippet: ensure-held
		this.locks.executeWithoutResult("import", (lock) -> {
			for (String line : lines) {
				lock.ensureHeld(); // throws LockLostException if the lock is known to be
									// lost
				store(line, lock.fencingToken());
			}
		});
		// end
		assertThat(this.stored).containsExactly("first", "second");
	}

	private void store(String line, long token) {
		assertThat(token).isPositive();
		this.stored.add(line);
	}

	@Test
	void losesALockInATest() {
		// snippet: lose-a-lock
		LockRequest brief = LockRequest.of("import").lease(Duration.ofMillis(100)).autoRenew(false);
		LockHandle lock = this.locks.acquire(brief);
		await().until(() -> !lock.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::ensureHeld);
		// end
		await().until(() -> this.alarm.raised.contains("import"));
		lock.close();
	}

}
