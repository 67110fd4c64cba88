package io.holdfast.actuate;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.concurrent.DaemonThreads;
import io.holdfast.engine.HoldfastLockRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Tells other instances who this one is, and which of its threads hold and wait for
 * locks, so that operators can be told by any of them. Also has this instance listen, so
 * that it learns at once of locks that operators release by force. Works in the
 * background, and does not need Redis to be there.
 *
 * @since 0.1.0
 */
public final class InstanceAnnouncer implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(InstanceAnnouncer.class);

	/**
	 * How often to look, in memory, for threads that others do not know yet.
	 */
	private static final Duration LOOK = Duration.ofMillis(500);

	private static final long PAUSE_WITHOUT_MEMORY = 50_000_000;

	/**
	 * How long a shutdown waits for the announcement to be withdrawn. It expires by
	 * itself.
	 */
	private static final Duration FAREWELL = Duration.ofSeconds(1);

	private final HoldfastLockRegistry registry;

	private final InstanceDetails details;

	private final int phase;

	private final boolean listening;

	private volatile @Nullable Running running;

	/**
	 * Create an announcer.
	 * @param registry the locks of this instance
	 * @param details what there is to say of it
	 * @param phase when to start and stop
	 * @param listening whether to listen from the start, and not from the first lock on
	 * that this instance holds or waits for
	 */
	public InstanceAnnouncer(HoldfastLockRegistry registry, InstanceDetails details, int phase, boolean listening) {
		this.registry = registry;
		this.details = details;
		this.phase = phase;
		this.listening = listening;
	}

	@Override
	public void start() {
		Announcement announcement = new Announcement(this.registry, this.details, this.listening);
		announcement.listen();
		this.running = Running.start(announcement);
	}

	@Override
	public void stop() {
		Running before = this.running;
		this.running = null;
		if (before != null) {
			before.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running != null;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

	/**
	 * An announcement that is kept up, on a thread of its own.
	 */
	private static final class Running {

		private final CountDownLatch stopped = new CountDownLatch(1);

		private final Announcement announcement;

		private final Thread thread;

		private Running(Announcement announcement) {
			this.announcement = announcement;
			this.thread = DaemonThreads.named("holdfast-actuator").newThread(this::run);
		}

		static Running start(Announcement announcement) {
			Running running = new Running(announcement);
			running.thread.start();
			return running;
		}

		private void run() {
			while (this.stopped.getCount() > 0) {
				try {
					this.announcement.keepUp();
					this.stopped.await(LOOK.toMillis(), TimeUnit.MILLISECONDS);
				}
				catch (Throwable ex) {
					// Without memory, it may be impossible to say so
					LockSupport.parkNanos(PAUSE_WITHOUT_MEMORY);
				}
			}
			this.announcement.withdraw();
		}

		void stop() {
			this.stopped.countDown();
			try {
				this.thread.join(FAREWELL.toMillis());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			if (this.thread.isAlive()) {
				logger.debug("What was announced of this instance is not withdrawn yet; it expires");
			}
		}

	}

}
