package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.engine.runtime.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * The nested acquisitions that make up a {@link Hold}. Guarded by the hold.
 */
final class Nesting {

	private final List<HoldEntry> entries = new ArrayList<>(1);

	/**
	 * Until when the entries that were released want the keys to stay taken.
	 */
	private long keptUntil;

	/**
	 * The same for those that were exclusive.
	 */
	private long exclusiveUntil;

	Nesting(long now) {
		this.keptUntil = now;
		this.exclusiveUntil = now;
	}

	int size() {
		return this.entries.size();
	}

	void open(HoldEntry entry) {
		this.entries.add(entry);
	}

	/**
	 * Return the entries that are being released, or were to be.
	 */
	List<HoldEntry> givenUp() {
		return this.entries.stream().filter(HoldEntry::isGivenUp).toList();
	}

	void close(HoldEntry entry) {
		this.entries.remove(entry);
		this.keptUntil = MonotonicClock.later(this.keptUntil, entry.keptUntil());
		this.exclusiveUntil = exclusiveUntil(entry);
	}

	void clear() {
		this.entries.clear();
	}

	/**
	 * Return whether some entry besides one needs the hold to be exclusive.
	 */
	boolean isExclusiveBesides(HoldEntry entry) {
		return this.entries.stream().anyMatch((other) -> other != entry && other.isExclusive());
	}

	/**
	 * Return until when the keys are to stay taken, even if all entries are released
	 * earlier.
	 */
	long keptUntil() {
		long latest = this.keptUntil;
		for (HoldEntry entry : this.entries) {
			latest = MonotonicClock.later(latest, entry.keptUntil());
		}
		return latest;
	}

	/**
	 * Return until when the keys are not to be shared.
	 * @param leaving an entry that is being released
	 */
	long exclusiveUntil(HoldEntry leaving) {
		return leaving.isExclusive() ? MonotonicClock.later(this.exclusiveUntil, leaving.keptUntil())
				: this.exclusiveUntil;
	}

	/**
	 * Return the longest lease that any of the entries still wants.
	 * @return the lease, or {@code null} when none wants one
	 */
	@Nullable Duration wantedLease() {
		Duration longest = null;
		for (HoldEntry entry : this.entries) {
			Duration wanted = entry.wantedLease();
			longest = (longest == null || (wanted != null && wanted.compareTo(longest) > 0)) ? wanted : longest;
		}
		return longest;
	}

	/**
	 * Register for the loss, unless the entry has been released.
	 */
	void onLoss(HoldEntry entry, Runnable listener) {
		if (this.entries.contains(entry)) {
			entry.lossListeners().add(listener);
		}
	}

	List<Runnable> lossListeners() {
		return this.entries.stream().flatMap((entry) -> entry.lossListeners().stream()).toList();
	}

}
