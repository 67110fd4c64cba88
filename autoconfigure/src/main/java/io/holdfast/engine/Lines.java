package io.holdfast.engine;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.engine.LockStore.HoldId;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Line}s of this instance, and the callers that wait in them.
 */
final class Lines implements LockStore.WakeUpListener {

	// The lines of plain callers by their key
	private final ConcurrentHashMap<String, Line> byKey = new ConcurrentHashMap<>();

	// The lines of all other callers, by place in the queue
	private final ConcurrentHashMap<String, Line> byPlace = new ConcurrentHashMap<>();

	private final AtomicLong claims = new AtomicLong();

	private final LockStore store;

	private final Cleanup cleanup;

	private final Shutdown shutdown;

	private final Owner.Factory owners;

	private final EngineSettings settings;

	private final EngineRuntime runtime;

	private final Duration poll;

	private final ForcedReleases forcedReleases;

	private final Listeners listeners;

	private final Set<Acquisition> waiting = ConcurrentHashMap.newKeySet();

	Lines(LockStore store, Cleanup cleanup, Shutdown shutdown, Owner.Factory owners, EngineSettings settings,
			EngineRuntime runtime, Duration poll, ForcedReleases forcedReleases, Listeners listeners) {
		this.store = store;
		this.cleanup = cleanup;
		this.shutdown = shutdown;
		this.owners = owners;
		this.settings = settings;
		this.runtime = runtime;
		this.poll = poll;
		this.forcedReleases = forcedReleases;
		this.listeners = listeners;
	}

	// Listens before the first lock is held, which an operator may release by force
	Line join(Acquisition caller) {
		listen();
		return caller.terms().isPlain() ? joinByKey(caller, caller.terms().keys().get(0)) : joinAlone(caller);
	}

	private Line joinByKey(Acquisition caller, String key) {
		while (true) {
			Line present = this.byKey.get(key);
			Line line = (present != null) ? present
					: this.byKey.computeIfAbsent(key, (k) -> newLine(k, this.byKey, newClaimant()));
			if (line.join(caller)) {
				return line;
			}
			this.byKey.remove(key, line);
		}
	}

	private Line joinAlone(Acquisition caller) {
		Claimant claimant = newClaimant();
		String place = claimant.place(caller).id();
		Line line = newLine(place, this.byPlace, claimant);
		this.byPlace.put(place, line);
		line.join(caller);
		return line;
	}

	private Line newLine(String name, Map<String, Line> listed, Claimant claimant) {
		return new Line(name, listed, claimant, new Sections(this.settings, this.runtime), this.runtime);
	}

	private Claimant newClaimant() {
		return new Claimant(this, this.store, this.cleanup, this.runtime, this.poll, newOutage());
	}

	// A caller without a limit of its own gives up after the configured wait
	Outage newOutage() {
		return new Outage(this.runtime, this.settings.waitFor());
	}

	// What may take long, such as a slow log
	void tellAside(Runnable call) {
		this.listeners.tellAside(call);
	}

	RequestContext newContext() {
		return RequestContext.of(this.store);
	}

	OwnClaim newClaim() {
		return new OwnClaim(this.claims.incrementAndGet());
	}

	@Override
	public void wakeUp(String key, String placeId) {
		Line line = this.byPlace.get(placeId);
		Line woken = (line != null) ? line : this.byKey.get(key);
		if (woken != null) {
			woken.wakeUp();
		}
	}

	@Override
	public void wanted(String key, boolean next) {
		Line line = this.byKey.get(key);
		if (line != null) {
			line.wanted(next);
		}
	}

	@Override
	public void wakeUpAll() {
		this.byPlace.values().forEach(Line::wakeUp);
		this.byKey.values().forEach(Line::wakeUp);
	}

	@Override
	public void forceReleased(HoldId hold) {
		wanted(hold.grants().get(0).key(), true); // so that it is passed on no more
		this.forcedReleases.checkSoon(hold);
	}

	void listen() {
		if (!this.shutdown.isClosed()) {
			this.store.listen(this.owners.instanceId(), this);
			if (this.shutdown.isClosed()) {
				this.store.stopListening();
			}
		}
	}

	@Nullable Duration warnWait() {
		return this.settings.warnWait();
	}

	void asked(Acquisition caller) {
		this.listeners.tell(EngineListener::asked, caller.owner().id());
	}

	void startWaiting(Acquisition caller) {
		this.waiting.add(caller);
		listen();
	}

	void stopWaiting(Acquisition caller) {
		this.waiting.remove(caller);
	}

	// Leaves present lines to the callers that are still in them, whose requests have an
	// earlier identity
	void renew() {
		this.byKey.clear();
	}

	void wakeAllCallers() {
		waiting().forEach(Acquisition::wake);
	}

	// In an order that is the same in each run
	List<Acquisition> waiting() {
		return this.waiting.stream().sorted(Comparator.comparing((caller) -> caller.owner().id())).toList();
	}

	int waitingCount() {
		return this.waiting.size();
	}

}
