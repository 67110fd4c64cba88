package io.holdfast.engine.simulation.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.PlaceName;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.engine.simulation.load.Attempt;
import io.holdfast.engine.simulation.load.Instance;
import io.holdfast.engine.simulation.load.Section;
import io.holdfast.engine.simulation.store.SimServer;
import io.holdfast.engine.simulation.store.SimStores;

/**
 * Nobody goes on waiting for a lock that is free: no wake-up is lost for longer than a
 * waiter takes to look again, and none at all where no message is.
 */
final class FreeIsTaken extends Rule {

	private static final long SLACK = 10_000_000;

	private final Report report;

	private final SimStores stores;

	private final SimServer server;

	private final OpenSections open;

	private final Circumstances circumstances;

	private final Supplier<List<Instance>> instances;

	private final Map<Attempt, Since> free = new HashMap<>();

	/**
	 * The most that have ever been in the queues of an attempt.
	 */
	private int places;

	FreeIsTaken(Report report, SimStores stores, OpenSections open, Supplier<List<Instance>> instances,
			Circumstances circumstances) {
		this.report = report;
		this.stores = stores;
		this.server = stores.server();
		this.open = open;
		this.instances = instances;
		this.circumstances = circumstances;
	}

	@Override
	void look() {
		List<Attempt> waiting = this.open.asking().filter((attempt) -> !attempt.instance().isDead()).toList();
		this.free.keySet().retainAll(waiting);
		boolean quiet = this.report.isQuiet() && !this.stores.isCut() && !this.circumstances.isClockSetBack();
		for (Attempt attempt : waiting) {
			long grants = this.server.grants().count();
			boolean now = quiet && isFree(attempt);
			Since before = this.free.getOrDefault(attempt, new Since(Long.MAX_VALUE, grants));
			this.places = Math.max(this.places, places(attempt));
			long time = now ? this.report.now() : Long.MAX_VALUE;
			if (now && before.grants() == grants) {
				time = Math.min(time, before.time());
			}
			if (now && this.report.now() - time > longest(attempt)) {
				this.report.violation("%s of %s waits although its lock is free since %d: %s".formatted(attempt,
						attempt.thread().getName(), time / 1000, this.server.look(attempt.keys())));
				time = Long.MAX_VALUE;
			}
			this.free.put(attempt, new Since(time, grants));
		}
	}

	/**
	 * Return whether nothing is in the way.
	 */
	private boolean isFree(Attempt attempt) {
		List<KeyState> states = this.server.look(attempt.keys());
		return states.stream()
			.allMatch((state) -> state.holders().isEmpty() || (state.mode() == LockMode.SHARED
					&& attempt.mode() == LockMode.SHARED && isWantedByReaders(state) && hasPermit(state, attempt)));
	}

	private static boolean hasPermit(KeyState state, Attempt attempt) {
		return attempt.request().permits() == 0 || state.holderCount() < attempt.request().permits();
	}

	private static boolean isWantedByReaders(KeyState state) {
		return state.waiters().stream().allMatch((place) -> PlaceName.of(place).mode() == LockMode.SHARED);
	}

	/**
	 * Return for how long a lock may stay free: until the waiter in front has tried
	 * again, or its place has run out and the next has. Both take the longer the more
	 * places there were in front when they asked last. Places in front may be of those
	 * that have left, which costs a call for each. Behind a section of its own instance a
	 * waiter looks once in a third of that section's lease only, and again after a tenth
	 * of it when there was no answer.
	 */
	private long longest(Attempt attempt) {
		long longest = (8 + this.places) * this.circumstances.callTime() + SLACK + this.circumstances.retries();
		if (this.circumstances.isPolled()) {
			longest += (3 * Math.min(this.places, QueuePlace.MOST_TIMES) + 1) * this.circumstances.poll();
		}
		return longest + this.open.all()
			.filter((section) -> isInTheWay(section, attempt))
			.mapToLong((section) -> section.lease().toNanos() / (this.circumstances.isAnswered() ? 3 : 2))
			.max()
			.orElse(0);
	}

	private int places(Attempt attempt) {
		return this.server.look(attempt.keys()).stream().mapToInt(KeyState::waiterCount).sum();
	}

	private static boolean isInTheWay(Section section, Attempt attempt) {
		return section.attempt().instance() == attempt.instance() && attempt.isForSame(section.attempt());
	}

	private record Since(long time, long grants) {
	}

}
