package io.holdfast.actuate;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.concurrent.Background;
import io.holdfast.concurrent.EngineRuntime;
import io.holdfast.concurrent.MonotonicClock;
import io.holdfast.engine.EngineListener;
import io.holdfast.engine.LockOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.util.Assert;

/**
 * Announces to other instances who this one is, and which of its threads hold and wait
 * for locks. Also subscribes this instance, so that it learns at once of locks that
 * operators release by force. Works in the background, from the first lock that lasts for
 * a moment, and does not need Redis to be up.
 *
 * @since 0.1.0
 */
public final class InstanceAnnouncer implements EngineListener, SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(InstanceAnnouncer.class);

	/**
	 * Time from an event to a check of holders and waiters: most locks are not held for
	 * that long.
	 */
	private static final Duration LOOK = Duration.ofMillis(500);

	private static final Duration LASTS = Duration.ofSeconds(60);

	private static final Duration REPEAT = Duration.ofSeconds(20);

	private static final Duration RETRY = Duration.ofSeconds(5);

	/**
	 * How long a shutdown waits for the announcement to be withdrawn. It expires by
	 * itself.
	 */
	private static final Duration FAREWELL = Duration.ofSeconds(1);

	/**
	 * How many names of locks are told.
	 */
	private static final int MOST_NAMES = 256;

	private final InstanceDetails details;

	private final int phase;

	private final boolean listening;

	private final Duration repeat;

	private final Background background = new Background(EngineRuntime.of(MonotonicClock.SYSTEM), "holdfast-actuator");

	private final Background.Task look = new Background.Task(this::look);

	private final Background.Task repetition = new Background.Task(this::look);

	private final AtomicBoolean looksSoon = new AtomicBoolean();

	private final ThreadNames threads = new ThreadNames();

	private final Set<String> names = new LinkedHashSet<>();

	private volatile @Nullable LockOperations operations;

	private volatile boolean running;

	private volatile boolean announced;

	/**
	 * Time until the announcement is prolonged, or tried again.
	 */
	private long due;

	private boolean failed;

	/**
	 * Create an announcer of the engine that it will observe.
	 * @param details the description of this instance
	 * @param phase when to start and stop
	 * @param listening whether to subscribe from the start, instead of from the first
	 * lock that this instance holds or waits for
	 */
	public InstanceAnnouncer(InstanceDetails details, int phase, boolean listening) {
		this(details, phase, listening, REPEAT);
	}

	InstanceAnnouncer(InstanceDetails details, int phase, boolean listening, Duration repeat) {
		Assert.notNull(details, "'details' must not be null");
		this.details = details;
		this.phase = phase;
		this.listening = listening;
		this.repeat = repeat;
	}

	/**
	 * Set the engine that is observed. Before that, nothing is announced.
	 * @param operations the engine, as operators see it
	 */
	public void observe(LockOperations operations) {
		this.operations = operations;
	}

	@Override
	public void started() {
		listen();
	}

	@Override
	public void held(HeldLock lock) {
		lookSoon();
	}

	@Override
	public void waiting(Waiter waiter) {
		lookSoon();
	}

	@Override
	public void start() {
		this.due = now();
		this.looksSoon.set(false);
		this.running = true;
		listen();
		LockOperations present = this.operations;
		if (present != null && present.heldCount() + present.waitingCount() > 0) {
			lookSoon();
		}
	}

	private void listen() {
		LockOperations present = this.operations;
		if (present != null && this.listening && this.running) {
			present.listen();
		}
	}

	@Override
	public void stop() {
		this.running = false;
		this.background.cancel(this.look);
		this.background.cancel(this.repetition);
		if (this.announced) {
			CountDownLatch withdrawn = new CountDownLatch(1);
			this.background.schedule(new Background.Task(() -> {
				withdraw();
				withdrawn.countDown();
			}), 0);
			await(withdrawn);
		}
		this.background.stop();
	}

	private static void await(CountDownLatch withdrawn) {
		try {
			if (!withdrawn.await(FAREWELL.toMillis(), TimeUnit.MILLISECONDS)) {
				logger.debug("The announcement of this instance is not withdrawn yet; it expires");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

	/**
	 * Called for each lock: does almost nothing if a check is due already.
	 */
	private void lookSoon() {
		if (this.running && !this.looksSoon.get() && this.looksSoon.compareAndSet(false, true)) {
			this.background.schedule(this.look, LOOK.toNanos());
		}
	}

	/**
	 * Check holders and waiters, and announce if that is due or there is something new.
	 * The announcement is then kept up: a released lock may stay taken, and others want
	 * to know by whom.
	 */
	private void look() {
		this.looksSoon.set(false);
		LockOperations engine = this.operations;
		if (engine == null || !this.running) {
			return;
		}
		Map<String, String> owners = engine.threadNames();
		boolean complete = this.threads.isComplete(owners);
		boolean news = this.threads.note(owners) | noteNames(engine.lockNames());
		if (owners.isEmpty() && !this.announced) {
			return;
		}
		try {
			engine.listen();
			if (now() - this.due >= 0 || (news && !this.failed)) {
				announce(engine, news);
			}
		}
		catch (RuntimeException ex) {
			this.failed = true;
			this.due = now() + RETRY.toNanos();
			logger.debug("Could not announce this instance, trying again", ex);
		}
		if (!this.running) {
			withdraw();
		}
		else if (complete) {
			this.background.scheduleAt(this.repetition, this.due);
		}
		else {
			this.background.cancel(this.repetition);
			lookSoon();
		}
	}

	/**
	 * Names stay: they are few, and what has one is going to be locked again.
	 */
	private boolean noteNames(Set<String> present) {
		int before = this.names.size();
		present.stream()
			.filter((name) -> !this.names.contains(name))
			.limit(MOST_NAMES - before)
			.forEach(this.names::add);
		return this.names.size() > before;
	}

	private void announce(LockOperations engine, boolean news) {
		if (news || this.failed || !this.announced || !engine.view().prolongAnnouncement(engine.instanceId(), LASTS)) {
			Map<String, String> all = this.details.toMap();
			this.threads.all().forEach((owner, thread) -> all.put(InstanceDetails.threadOf(OwnerId.of(owner)), thread));
			this.names.forEach((name) -> all.put(InstanceDetails.lockName(name), ""));
			this.announced = true;
			engine.view().announce(engine.instanceId(), all, LASTS);
		}
		this.failed = false;
		this.due = now() + this.repeat.toNanos();
	}

	private void withdraw() {
		LockOperations engine = this.operations;
		try {
			if (engine != null && this.announced) {
				engine.view().withdraw(engine.instanceId());
				this.announced = false;
			}
		}
		catch (RuntimeException ex) {
			logger.debug("Could not withdraw what was announced of this instance; it expires", ex);
		}
	}

	private long now() {
		return this.background.runtime().nanos();
	}

}
