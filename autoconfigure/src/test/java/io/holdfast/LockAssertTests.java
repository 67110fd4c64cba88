package io.holdfast;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Checks that code runs under its lock.
 */
class LockAssertTests {

	private final HoldfastLockRegistry registry = newRegistry();

	private final LockTemplate template = new LockTemplate(this.registry);

	private static HoldfastLockRegistry newRegistry() {
		String id = UUID.randomUUID().toString();
		EngineSettings settings = new EngineSettings(() -> id, Duration.ofSeconds(30), Duration.ofSeconds(5), true,
				null, false, OnLost.THROW, 16, Duration.ofMillis(50), null, null);
		return new HoldfastLockRegistry(new LocalLockStore(LocalLocks.ofJvm("lock-assert")), settings, List::of);
	}

	@AfterEach
	void closeRegistry() {
		this.registry.close();
	}

	@Test
	void passesUnderTheLock() {
		this.template.executeWithoutResult("a", (lock) -> LockAssert.assertHeld("a"));
		this.template.executeWithoutResult(LockRequest.of("a", "b").shared(), (lock) -> LockAssert.assertHeld("b"));
		this.registry.lock("a").lock();
		LockAssert.assertHeld("a");
		this.registry.lock("a").unlock();
	}

	@Test
	void nameIsPartOfTheKey() {
		this.template.executeWithoutResult(LockRequest.of("7").name("orders"), (lock) -> {
			LockAssert.assertHeld("orders:7");
			assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("7"))
				.withMessageContaining("'orders:7'");
		});
	}

	@Test
	void messageNamesTheKeyTheThreadAndWhatItHolds() {
		assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("a"))
			.withMessageContainingAll("'a'", Thread.currentThread().getName(), "no lock", "past the proxy");
		this.template.executeWithoutResult(LockRequest.of("b", "c"),
				(lock) -> assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("a"))
					.withMessageEndingWith("which holds 'b', 'c'"));
	}

	@Test
	void lockOfAnotherThreadOrOfAHandleIsNotHeld() {
		try (LockHandle lock = Threads.call(() -> this.template.acquire("a"));
				LockHandle own = this.template.acquire(LockRequest.of("b").ownedByHandle())) {
			assertThat(lock.isHeld() && own.isHeld()).isTrue();
			assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("a"));
			assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("b"))
				.withMessageEndingWith("holds no lock. Its LockHandle holds it, as in a publisher or a future: "
						+ "call LockHandle.ensureHeld()");
		}
	}

	@Test
	void lostLockIsNotHeld() {
		try (LockHandle lock = this.template
			.acquire(LockRequest.of("a").lease(Duration.ofMillis(50)).autoRenew(false))) {
			await().until(() -> !lock.isHeld());
			assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("a"))
				.withMessageContaining("holds no lock (");
		}
	}

	@Test
	void registryIsNotKeptAlive() {
		WeakReference<LockRegistry> used = useAndClose();
		await().untilAsserted(() -> {
			System.gc();
			assertThat(used.refersTo(null)).isTrue();
		});
		assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("a"));
	}

	private static WeakReference<LockRegistry> useAndClose() {
		try (HoldfastLockRegistry closed = newRegistry()) {
			new LockTemplate(closed).executeWithoutResult("a", (lock) -> LockAssert.assertHeld("a"));
			return new WeakReference<>(closed);
		}
	}

}
