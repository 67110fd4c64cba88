package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.holdfast.LockListener;
import io.holdfast.LockUnavailableException;
import io.holdfast.engine.runtime.Background;
import io.holdfast.engine.runtime.EngineRuntime;
import io.holdfast.engine.runtime.Tally;
import io.holdfast.engine.store.LockStore;

/**
 * The parts of one instance, put together.
 */
final class Engine {

	private final LockStore store;

	private final EngineSettings settings;

	private final EngineRuntime runtime;

	private final Background background;

	private final EnginePace pace;

	private final Shutdown shutdown;

	private final Lines lines;

	private final Waits waits = new Waits();

	private final Overruns overruns;

	private final Holds holds;

	private final Housekeeper housekeeper;

	private final Tally acquisitions;

	private final AsyncThreads asyncThreads;

	private final Listeners listeners;

	private final Cleanup cleanup;

	private final Losses losses;

	private final Watchdog watchdog;

	private final HoldKeeper keeper;

	private final HoldChecks holdChecks;

	private final ForcedReleases forcedReleases;

	private final Deadlocks deadlocks;

	private final WakeUps wakeUps;

	private final Owner.Factory owners;

	Engine(LockStore store, EngineSettings settings, Supplier<List<LockListener>> listeners, EngineRuntime runtime,
			EnginePace pace) {
		this.store = store;
		this.settings = settings;
		this.runtime = runtime;
		this.background = new Background(runtime);
		this.pace = pace;
		this.acquisitions = new Tally(runtime);
		this.shutdown = new Shutdown(runtime);
		this.housekeeper = new Housekeeper(store, this.background);
		this.asyncThreads = new AsyncThreads(store, this.background);
		this.overruns = new Overruns(settings.warnings(), this.waits, this.background);
		RenewalTrouble trouble = new RenewalTrouble(runtime);
		this.holds = new Holds(this.overruns, trouble, runtime);
		this.listeners = new Listeners(listeners, this.background);
		this.cleanup = new Cleanup(store, this.housekeeper, runtime);
		this.lines = new Lines(store, settings, pace, this.cleanup, this.shutdown, runtime);
		this.losses = new Losses(this.holds, this.cleanup, this.listeners, settings.onLost());
		this.watchdog = new Watchdog(store, this.losses, this.holds, trouble, this.background);
		Releases releases = new Releases(store, this.losses, this.cleanup, this.watchdog, this.housekeeper,
				this.listeners, runtime);
		ThreadHolds threadHolds = new ThreadHolds();
		this.keeper = new HoldKeeper(store, releases, this.holds, threadHolds, this.losses, this.watchdog,
				this.listeners, this.asyncThreads, runtime);
		this.holdChecks = new HoldChecks(store, threadHolds, this.losses, runtime);
		this.forcedReleases = new ForcedReleases(store, settings.instanceId(), this.holds, this.holdChecks,
				this.housekeeper);
		this.deadlocks = new Deadlocks(settings, store, this.holds, this.waits, pace.deadlocks(), this.background);
		this.wakeUps = new WakeUps(this.lines, this.forcedReleases);
		this.owners = new Owner.Factory(settings.instanceId());
	}

	LockStore store() {
		return this.store;
	}

	EngineSettings settings() {
		return this.settings;
	}

	EngineRuntime runtime() {
		return this.runtime;
	}

	Background background() {
		return this.background;
	}

	EnginePace pace() {
		return this.pace;
	}

	Shutdown shutdown() {
		return this.shutdown;
	}

	Lines lines() {
		return this.lines;
	}

	/**
	 * Return the acquisitions that have to wait.
	 */
	Waits waits() {
		return this.waits;
	}

	Overruns overruns() {
		return this.overruns;
	}

	Deadlocks deadlocks() {
		return this.deadlocks;
	}

	ForcedReleases forcedReleases() {
		return this.forcedReleases;
	}

	/**
	 * Begin to listen to what the store tells.
	 */
	void listen() {
		if (!this.shutdown.isClosed()) {
			this.store.listen(this.wakeUps);
			if (this.shutdown.isClosed()) {
				this.store.stopListening();
			}
		}
	}

	/**
	 * Return the tally of acquisitions that have begun and not ended.
	 */
	Tally acquisitions() {
		return this.acquisitions;
	}

	Holds holds() {
		return this.holds;
	}

	Housekeeper housekeeper() {
		return this.housekeeper;
	}

	AsyncThreads asyncThreads() {
		return this.asyncThreads;
	}

	Listeners listeners() {
		return this.listeners;
	}

	Watchdog watchdog() {
		return this.watchdog;
	}

	HoldKeeper keeper() {
		return this.keeper;
	}

	HoldChecks holdChecks() {
		return this.holdChecks;
	}

	Owner.Factory owners() {
		return this.owners;
	}

	void open() {
		this.background.open();
		this.shutdown.open();
	}

	/**
	 * Let nobody wait for longer than a time from now.
	 */
	void limitWaits(Duration atMost) {
		this.shutdown.limitWaits(atMost);
		this.waits.wakeAll();
	}

	/**
	 * Let nobody in any more, and send those away who wait.
	 */
	void close() {
		this.shutdown.close();
		this.waits.wakeAll();
	}

	/**
	 * Wait until what the store has been asked for is answered, now that next to nothing
	 * is asked for any more.
	 */
	void awaitAnswers(Duration atMost) {
		long begin = this.runtime.nanos();
		this.acquisitions.awaitNone(atMost);
		this.keeper.releases().awaitNone(atMost.minusNanos(this.runtime.nanos() - begin));
		this.housekeeper.awaitDone(atMost.minusNanos(this.runtime.nanos() - begin));
	}

	/**
	 * Take all locks from their owners, and leave nothing in the store but what is to
	 * stay taken for a while.
	 */
	void takeBackAll() {
		this.holds.all().forEach((hold) -> {
			this.losses.expired(hold, "the application is shutting down");
			this.cleanup.takeBack(hold);
			this.watchdog.forget(hold);
		});
		this.cleanup.clearAll();
	}

	/**
	 * Do nothing by itself any more.
	 */
	void stopBackground() {
		this.overruns.stop();
		this.deadlocks.stop();
		this.background.stop();
	}

}
