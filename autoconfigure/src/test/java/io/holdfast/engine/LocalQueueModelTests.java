package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.holdfast.LockRequest;
import io.holdfast.OnLost;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the local queue in all interleavings of a few threads that a model checker gets
 * to: whatever they are, one thread at a time has its turn, everybody who stays gets one,
 * and the lock is free in the end.
 *
 * <p>
 * A parked thread may wake up by itself here, as Java allows. That it is woken is for the
 * tests of hand-overs to see.
 *
 * <p>
 * The checker has limits of its own for what hangs; how long all of it takes depends on
 * the machine.
 */
@Tag("any-jdk")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LocalQueueModelTests {

	private static final int INTERLEAVINGS = 400;

	private static final EngineRuntime CLOCK = EngineRuntime.of(() -> 0);

	private static final Claimant CLAIMANT = new Claimant(
			Terms.of(LockRequest.of("key"),
					new EngineSettings("i", Duration.ofSeconds(30), Duration.ofSeconds(5), true, null, false,
							OnLost.THROW, 16)),
			new Owner("i:1", "thread", null), 1, false, new QueuePlace("i:1#1", Duration.ofSeconds(1)));

	@Test
	void lockGoesFromOneToTheNext() {
		Lincheck.runConcurrentTest(INTERLEAVINGS, () -> {
			Model model = new Model();
			model.run(model::lockPatiently, model::lockPatiently, model::lockPatiently);
			check(model.sections.get() == 3, "somebody was left out");
		});
	}

	@Test
	void whoeverLeavesPassesTheLockOn() {
		Lincheck.runConcurrentTest(INTERLEAVINGS, () -> {
			Model model = new Model();
			model.run(model::lockPatiently, model::lockImpatiently, model::lockPatiently);
			check(model.sections.get() >= 2, "somebody who did not leave was left out");
		});
	}

	@Test
	void whoeverLeavesWhileItIsChosenPassesTheLockOn() {
		Lincheck.runConcurrentTest(INTERLEAVINGS, () -> {
			Model model = new Model();
			Turn holder = model.enter();
			Turn leaver = model.enter();
			model.run(() -> model.lockAndRelease(holder), () -> model.leave(leaver));
			check(model.unused.get() == 1, "the queue goes on with nobody in it");
		});
	}

	@Test
	void wakeUpIsNotMissed() {
		Lincheck.runConcurrentTest(INTERLEAVINGS, () -> {
			Model model = new Model();
			model.held = true;
			model.run(model::lockWithAttempts, () -> {
				model.free();
				model.queue.wakeUp();
			});
			check(model.sections.get() == 1, "the waiter was left out");
		});
	}

	@Test
	void abandonedQueueKeepsNobody() {
		Lincheck.runConcurrentTest(INTERLEAVINGS, () -> {
			Model model = new Model();
			model.run(model::lockUnlessAbandoned, model::lockUnlessAbandoned, model.queue::abandon);
		});
	}

	/**
	 * AssertJ's own steps would count as interleavings.
	 */
	private static void check(boolean condition, String message) {
		if (!condition) {
			throw new IllegalStateException(message);
		}
	}

	/**
	 * What callers do with a queue, with a store that is no more than a flag.
	 */
	private static final class Model {

		private final AtomicInteger unused = new AtomicInteger();

		private final LocalQueue queue = new LocalQueue(new ReentrantLock(), (queue) -> this.unused.incrementAndGet());

		private final AtomicInteger sections = new AtomicInteger();

		private final AtomicInteger inside = new AtomicInteger();

		private volatile boolean held;

		private void run(Runnable... callers) {
			List<Thread> threads = new ArrayList<>();
			List<Throwable> failures = new ArrayList<>();
			for (Runnable caller : callers) {
				Thread thread = new Thread(caller);
				thread.setUncaughtExceptionHandler((t, ex) -> failures.add(ex));
				threads.add(thread);
			}
			threads.forEach(Thread::start);
			threads.forEach(Model::join);
			failures.forEach((failure) -> {
				throw new IllegalStateException(failure);
			});
			check(!this.held, "the lock is held by nobody");
		}

		private Turn enter() {
			Turn turn = new Turn(this.queue, CLAIMANT, caller());
			this.queue.enter(turn);
			return turn;
		}

		private void leave(Turn turn) {
			if (!this.queue.leave(turn)) {
				lockAndRelease(turn);
			}
		}

		private void lockPatiently() {
			Turn turn = new Turn(this.queue, CLAIMANT, caller());
			if (this.queue.enter(turn)) {
				check(await(turn), "the turn never came");
				lockAndRelease(turn);
			}
			else {
				this.sections.incrementAndGet();
			}
		}

		private void lockImpatiently() {
			Turn turn = new Turn(this.queue, CLAIMANT, caller());
			if (this.queue.enter(turn)) {
				leave(turn);
			}
		}

		private void lockUnlessAbandoned() {
			Turn turn = new Turn(this.queue, CLAIMANT, caller());
			if (this.queue.enter(turn) && await(turn)) {
				lockAndRelease(turn);
			}
		}

		private void lockWithAttempts() {
			Turn turn = enter();
			this.queue.expectWakeUp();
			while (this.held) {
				sleep(turn::isWoken);
				this.queue.expectWakeUp();
			}
			lockAndRelease(turn);
		}

		/**
		 * Take the lock unless it was handed over, and hand it on if somebody waits.
		 */
		private void lockAndRelease(Turn turn) {
			if (!(turn.takeHandover() instanceof Handover.Held)) {
				check(!this.held, "the lock is held when it was not handed over");
				this.held = true;
			}
			check(this.inside.incrementAndGet() == 1, "two hold the lock");
			this.sections.incrementAndGet();
			this.inside.decrementAndGet();
			Turn next = turn.chooseNext();
			if (next == null || !turn.handOn(next, new Handover.Held(new LockStore.HoldId("key", "i:1", 1), 0))) {
				free();
				turn.end();
			}
		}

		private void free() {
			this.held = false;
		}

		private static CallingThread caller() {
			return CallingThread.uninterruptible(CLOCK,
					new Patience(CLOCK, LockRequest.NO_LIMIT, new ClosingTime(CLOCK)));
		}

		private static boolean await(Turn turn) {
			sleep(turn::isDecided);
			return turn.isMine();
		}

		private static void sleep(BooleanSupplier condition) {
			try {
				caller().sleep(new Pause(CLOCK, condition, Pause.NO_END, new ClosingTime(CLOCK)));
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		private static void join(Thread thread) {
			try {
				thread.join();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
