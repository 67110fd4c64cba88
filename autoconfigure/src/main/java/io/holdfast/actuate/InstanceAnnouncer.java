package io.holdfast.actuate;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.holdfast.engine.DaemonThreads;
import io.holdfast.engine.HoldfastLockRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Tells other instances who this one is, and which of its threads hold and wait for
 * locks, so that operators can be told by any of them. Also has this instance listen, so
 * that it learns at once of locks that operators take away. Works in the background, and
 * does not need Redis to be there.
 *
 * @since 0.1.0
 */
public final class InstanceAnnouncer implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(InstanceAnnouncer.class);

	/**
	 * How often to look, in memory, for threads that others do not know yet.
	 */
	private static final Duration LOOK = Duration.ofMillis(500);

	/**
	 * How long a shutdown waits for the announcement to be withdrawn. It expires by
	 * itself.
	 */
	private static final Duration FAREWELL = Duration.ofSeconds(1);

	private final HoldfastLockRegistry registry;

	private final Announcement announcement;

	private final int phase;

	private volatile @Nullable ScheduledThreadPoolExecutor thread;

	/**
	 * Create an announcer.
	 * @param registry the locks of this instance
	 * @param details what there is to say of it
	 * @param phase when to start and stop
	 */
	public InstanceAnnouncer(HoldfastLockRegistry registry, InstanceDetails details, int phase) {
		this.registry = registry;
		this.announcement = new Announcement(registry, details);
		this.phase = phase;
	}

	@Override
	public void start() {
		ScheduledThreadPoolExecutor fresh = new ScheduledThreadPoolExecutor(1,
				DaemonThreads.named("holdfast-announcer"));
		this.thread = fresh;
		this.registry.listen();
		fresh.scheduleWithFixedDelay(this.announcement::keepUp, 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	public void stop() {
		ScheduledThreadPoolExecutor running = this.thread;
		this.thread = null;
		if (running != null) {
			Future<?> farewell = running.submit(this.announcement::withdraw);
			running.shutdown();
			await(farewell);
		}
	}

	private static void await(Future<?> farewell) {
		try {
			farewell.get(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("What was announced of this instance is not withdrawn; it expires", ex);
		}
	}

	@Override
	public boolean isRunning() {
		return this.thread != null;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

}
