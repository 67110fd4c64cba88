package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.engine.runtime.EngineRuntime;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.LockStore.QueuePlace;

/**
 * The {@link Line}s of this instance, and what they need to ask the store.
 */
final class Lines {

	/**
	 * The lines that all callers share who want the exclusive lock of a key, by key.
	 */
	private final ConcurrentHashMap<String, Line> shared = new ConcurrentHashMap<>();

	/**
	 * The lines of callers who want something else, by place in the queue.
	 */
	private final ConcurrentHashMap<String, Line> own = new ConcurrentHashMap<>();

	private final AtomicLong claims = new AtomicLong();

	private final LockStore store;

	private final EngineSettings settings;

	private final EnginePace pace;

	private final Cleanup cleanup;

	private final Shutdown shutdown;

	private final EngineRuntime runtime;

	Lines(LockStore store, EngineSettings settings, EnginePace pace, Cleanup cleanup, Shutdown shutdown,
			EngineRuntime runtime) {
		this.store = store;
		this.settings = settings;
		this.pace = pace;
		this.cleanup = cleanup;
		this.shutdown = shutdown;
		this.runtime = runtime;
	}

	/**
	 * Get in line.
	 */
	Line enter(Acquisition caller) {
		if (!caller.terms().isPlain()) {
			Line line = new Line(this, null, newClaim());
			line.enter(caller);
			return line;
		}
		String key = caller.terms().keys().get(0);
		while (true) {
			Line present = this.shared.get(key);
			Line line = (present != null) ? present : this.shared.computeIfAbsent(key, this::newLine);
			if (line.enter(caller)) {
				return line;
			}
			this.shared.remove(key, line);
		}
	}

	private Line newLine(String key) {
		return new Line(this, key, newClaim());
	}

	OwnClaim newClaim() {
		return new OwnClaim(this.claims.incrementAndGet());
	}

	/**
	 * Forget a line that takes nobody in any more.
	 */
	void remove(String key, Line line) {
		this.shared.remove(key, line);
	}

	/**
	 * Have a line found when its place comes to the front.
	 */
	void expectWakeUps(QueuePlace place, Line line) {
		this.own.put(place.id(), line);
	}

	void expectNoWakeUps(QueuePlace place) {
		this.own.remove(place.id());
	}

	/**
	 * Be told that a lock may be free.
	 * @param placeId whose place comes first
	 */
	void wakeUp(String key, String placeId) {
		Line line = this.own.get(placeId);
		Line woken = (line != null) ? line : this.shared.get(key);
		if (woken != null) {
			woken.wakeUp();
		}
	}

	/**
	 * Be told that any lock may be free.
	 */
	void wakeUpAll() {
		this.own.values().forEach(Line::wakeUp);
		this.shared.values().forEach(Line::wakeUp);
	}

	LockStore store() {
		return this.store;
	}

	EngineRuntime runtime() {
		return this.runtime;
	}

	Cleanup cleanup() {
		return this.cleanup;
	}

	Shutdown shutdown() {
		return this.shutdown;
	}

	Outage newOutage() {
		return new Outage(this.runtime, this.settings.waitFor());
	}

	int localHandoffs() {
		return this.settings.localHandoffs();
	}

	/**
	 * Return the longest time between two attempts.
	 */
	Duration poll() {
		return this.pace.poll();
	}

	Duration placeKept() {
		return this.pace.placeKept();
	}

}
