package io.holdfast.engine.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.PlaceName;
import io.holdfast.engine.StoreView.KeyState;

/**
 * Nobody goes on waiting for a lock that is free: no wake-up is lost for longer than a
 * waiter takes to look again, and none at all where no message is.
 */
final class FreeIsTaken extends Rule {

	private static final long SLACK = 10_000_000;

	private final Map<Attempt, Since> free = new HashMap<>();

	@Override
	void look() {
		List<Attempt> waiting = this.scene.asking().stream().filter((attempt) -> !attempt.instance().isDead()).toList();
		this.free.keySet().retainAll(waiting);
		boolean quiet = this.scene.scheduler().isQuiet() && !this.scene.network().isCut()
				&& !this.circumstances.clockSetBack;
		for (Attempt attempt : waiting) {
			long grants = this.scene.grants().count();
			boolean now = quiet && isFree(attempt);
			Since before = this.free.getOrDefault(attempt, new Since(Long.MAX_VALUE, grants));
			long time = now ? this.scene.now() : Long.MAX_VALUE;
			if (now && before.grants() == grants) {
				time = Math.min(time, before.time());
			}
			if (now && this.scene.now() - time > longest(attempt)) {
				this.scene.violation("%s of %s waits although its lock is free since %d: %s", attempt,
						attempt.thread().getName(), time / 1000, this.scene.server().look(attempt.keys()));
				time = Long.MAX_VALUE;
			}
			this.free.put(attempt, new Since(time, grants));
		}
	}

	private boolean isFree(Attempt attempt) {
		List<KeyState> states = this.scene.server().look(attempt.keys());
		return states.stream()
			.allMatch((state) -> state.holders().isEmpty() || (state.mode() == LockMode.SHARED && attempt.isShared()
					&& isWantedByReaders(state) && hasPermit(state, attempt)));
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
	 * places there were in front when they asked last, maybe for a moment only. Places in
	 * front may be of those that have left, which costs a call for each, or of nobody: if
	 * all requests of a claim are answered, the store does not remember its withdrawal,
	 * and takes one that a client repeats after it for new. Behind a section of its own
	 * instance a waiter looks once in a third of that section's lease only, and again
	 * after a tenth of it when there was no answer.
	 */
	private long longest(Attempt attempt) {
		int places = attempt.keys().stream().mapToInt(this.scene.server()::mostPlaces).sum();
		long longest = (8 + places) * this.circumstances.callTime + SLACK;
		if (this.circumstances.polled) {
			longest += (3 * Math.min(places, QueuePlace.LAST_COUNTED_POSITION) + 1) * this.circumstances.poll;
		}
		return longest + this.scene.open()
			.stream()
			.filter((section) -> isInTheWay(section, attempt))
			.mapToLong((section) -> section.attempt().lease() / (this.circumstances.answered ? 3 : 2))
			.max()
			.orElse(0);
	}

	private static boolean isInTheWay(Section section, Attempt attempt) {
		return section.attempt().instance() == attempt.instance() && attempt.isForSame(section.attempt());
	}

	private record Since(long time, long grants) {
	}

}
