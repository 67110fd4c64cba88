package io.holdfast.test;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.holdfast.LockAssert;
import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReleaseResult;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.engine.HoldfastLockRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.EventConditions.test;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.instanceOf;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.suppressed;

/**
 * Tests that leak locks, and those that follow.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeakedLocksExtensionTests {

	private static final String THREAD = Thread.currentThread().getName();

	private static Events run(Class<?> tests) {
		EngineExecutionResults results = EngineTestKit.engine("junit-jupiter").selectors(selectClass(tests)).execute();
		results.containerEvents().assertStatistics((statistics) -> statistics.failed(0));
		return results.testEvents();
	}

	private static void assertThatOneFails(Events events, String test, String... parts) {
		events.assertStatistics((statistics) -> statistics.failed(1).aborted(0).skipped(0));
		events.assertThatEvents()
			.haveExactly(1, event(test(test), finishedWithFailure(instanceOf(AssertionError.class),
					message((text) -> assertContains(text, parts)))));
	}

	private static boolean assertContains(String message, String... parts) {
		assertThat(message).contains(parts);
		return true;
	}

	@Test
	void leakFailsItsTestOnly() {
		Events events = run(Leaking.class);
		assertThatOneFails(events, "leaks", "A lock is still held after the test: 'leaked', acquired by thread '",
				"' (owner ", "at io.holdfast.test.LeakedLocksExtensionTests$Leaking.leaks(", "Close the handle");
		events.assertStatistics((statistics) -> statistics.succeeded(3));
	}

	@TestMethodOrder(MethodOrderer.MethodName.class)
	static class Leaking extends Locking {

		private static Optional<LockHandle> leaked = Optional.empty();

		@Autowired
		private HoldfastLockRegistry registry;

		@Test
		void leaks() {
			leaked = Optional.of(this.locks.acquire("leaked"));
			this.locks.acquire("leaked");
		}

		@Test
		void m1FindsItFree() {
			assertThat(leaked.map(LockHandle::isHeld)).contains(false);
			assertThat(this.registry.held()).isEmpty();
			LockRequest request = LockRequest.of("leaked").ownedByHandle();
			assertThat(this.locks.tryExecute(request, LockHandle::isHeld)).contains(true);
		}

		@Test
		void m2HasLostNothing() {
			this.locks.ensureHeldByCurrentThread();
		}

		@Test
		void m3DoesNotLeak() {
			this.locks.executeWithoutResult("leaked", (lock) -> assertThat(lock.holdCount()).isOne());
		}

	}

	@Test
	void leakIsAddedToTheFailureOfTheTest() {
		run(FailingAndLeaking.class).assertThatEvents()
			.haveExactly(1, event(test("fails"), finishedWithFailure(instanceOf(IllegalStateException.class),
					message("of the test"), suppressed(0, message((text) -> text.contains("'leaked'"))))));
	}

	static class FailingAndLeaking extends Locking {

		@Test
		void fails() {
			this.locks.acquire("leaked");
			throw new IllegalStateException("of the test");
		}

	}

	@Test
	void otherThreadsMayEndTheirWork() {
		Events events = run(OtherThreads.class);
		assertThatOneFails(events, "leaks", "'leaked', acquired by thread 'leaking' (owner ",
				"OtherThreads.lambda$leaks$");
		events.assertStatistics((statistics) -> statistics.succeeded(1));
	}

	static class OtherThreads extends Locking {

		private static final ExecutorService thread = Executors
			.newSingleThreadExecutor((task) -> new Thread(task, "leaking"));

		@Test
		void leaks() throws ExecutionException, InterruptedException {
			thread.submit(() -> this.locks.acquire("leaked")).get();
		}

		@Test
		void ends() throws ExecutionException, InterruptedException {
			LockHandle working = thread.submit(() -> this.locks.acquire("working")).get();
			CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS, thread).execute(working::close);
		}

		@AfterAll
		static void stop() {
			thread.shutdown();
		}

	}

	@Test
	void locksThatAreNotOfTheTestRemain() {
		run(FromBefore.class).assertStatistics((statistics) -> statistics.succeeded(2).failed(0));
	}

	static class FromBefore extends Locking {

		private LockHandle ofEach;

		@BeforeAll
		static void acquire(@Autowired LockRegistry registry) {
			registry.lock("of all").lock();
		}

		@BeforeEach
		void acquire() {
			this.ofEach = this.locks.acquire("of each");
		}

		@Test
		void isHeld() {
			LockAssert.assertHeld("of all");
		}

		@Test
		void isStillHeld() {
			LockAssert.assertHeld("of all");
		}

		@AfterEach
		void release() {
			assertThat(this.ofEach.release()).isEqualTo(ReleaseResult.RELEASED);
		}

		@AfterAll
		static void release(@Autowired LockRegistry registry) {
			registry.lock("of all").unlock();
		}

	}

	@Test
	void keptKeysAreFree() {
		run(Keeping.class).assertStatistics((statistics) -> statistics.succeeded(2).failed(0));
	}

	static class Keeping extends Locking {

		private void keep() {
			LockRequest request = LockRequest.of("kept").minHold(Duration.ofHours(1));
			assertThat(this.locks.tryExecute(request, LockHandle::isHeld)).contains(true);
			assertThat(this.locks.tryExecute(request, LockHandle::isHeld)).isEmpty();
		}

		@Test
		void one() {
			keep();
		}

		@Test
		void other() {
			keep();
		}

	}

	@Test
	void leaksMayBeAllowed() {
		run(Allowed.class).assertStatistics((statistics) -> statistics.succeeded(2).failed(0));
	}

	@SpringBootTest(classes = Application.class)
	@AutoConfigureLocks(failOnLeak = false)
	@TestMethodOrder(MethodOrderer.MethodName.class)
	static class Allowed {

		@Autowired
		private LockRegistry registry;

		@Test
		void m1Leads() {
			this.registry.lock("leader").lock();
		}

		@Test
		void m2StillLeads() {
			assertThat(this.registry.lock("leader").isHeldByCurrentThread()).isTrue();
		}

	}

	@Test
	void extensionWorksWithoutTheAnnotation() {
		assertThatOneFails(run(ByItself.class), "leaks", "'leaked', acquired by thread '" + THREAD + "' (owner ");
	}

	@SpringBootTest(classes = Application.class, properties = "holdfast.store=local")
	@ImportAutoConfiguration(HoldfastAutoConfiguration.class)
	@ExtendWith(LeakedLocksExtension.class)
	static class ByItself {

		@Autowired
		private LockTemplate locks;

		@Test
		void leaks() {
			this.locks.acquire(LockRequest.of("leaked"));
		}

	}

	@Test
	void contextMayBeClosedAfterTheTest(CapturedOutput output) {
		run(Closing.class).assertStatistics((statistics) -> statistics.succeeded(1).failed(0));
		assertThat(output).containsOnlyOnce("Closing may leak locks unnoticed: the application context was closed");
	}

	static class Closing extends Locking {

		@Test
		@DirtiesContext
		void locks() {
			assertThat(this.locks.tryExecute("a", LockHandle::isHeld)).contains(true);
		}

	}

	@Test
	void warnsOnceThatLocksOfOthersAreNotChecked(CapturedOutput output) {
		run(Mocked.class).assertStatistics((statistics) -> statistics.succeeded(2).failed(0));
		assertThat(output).containsOnlyOnce("Mocked may leak locks unnoticed: the LockRegistry bean is not Holdfast's");
	}

	@SpringBootTest(classes = Application.class)
	@AutoConfigureLocks
	static class Mocked {

		@MockitoBean
		private LockRegistry registry;

		@Test
		void one() {
			assertThat(this.registry.held()).isEmpty();
		}

		@Test
		void other() {
			assertThat(this.registry.held()).isEmpty();
		}

	}

	@SpringBootTest(classes = Application.class, properties = "holdfast.wait-for=0")
	@AutoConfigureLocks
	abstract static class Locking {

		@Autowired
		LockTemplate locks;

	}

	/**
	 * Has only what is imported by the tests.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Application {

	}

}
