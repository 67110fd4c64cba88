package io.holdfast.engine;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.OnLost;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes that were started from one image, in which both had the same identity.
 */
class CopiedProcessTests {

	private static final LockRequest REQUEST = LockRequest.of("k").ownedByHandle().waitFor(Duration.ZERO);

	private final LocalLocks locks = new LocalLocks();

	private final HoldfastLockRegistry one = copy("one");

	private final HoldfastLockRegistry two = copy("two");

	private HoldfastLockRegistry copy(String restored) {
		Iterator<String> ids = List.of("image", restored).iterator();
		return registry(ids::next);
	}

	private HoldfastLockRegistry registry(Supplier<String> ids) {
		EngineSettings settings = new EngineSettings(ids, Duration.ofSeconds(30), Duration.ofSeconds(5), true, null,
				false, OnLost.THROW, 16, Duration.ofMillis(50));
		return new HoldfastLockRegistry(new LocalLockStore(this.locks), settings, List::of);
	}

	@AfterEach
	void close() {
		this.one.close();
		this.two.close();
	}

	@Test
	void excludeEachOtherWhenTheyWereStoppedBeforeTheImageAndStartedAfterIt() {
		for (HoldfastLockRegistry copy : List.of(this.one, this.two)) {
			new LockTemplate(copy).acquire(REQUEST).close();
			assertThat(copy.status().instanceId()).isEqualTo("image");
			copy.stop(Duration.ZERO);
			copy.start();
		}
		try (LockHandle held = new LockTemplate(this.one).acquire(REQUEST)) {
			assertThat(new LockTemplate(this.two).tryAcquire(REQUEST)).isEmpty();
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(new LockTemplate(this.two).tryAcquire(REQUEST)).isPresent();
	}

}
