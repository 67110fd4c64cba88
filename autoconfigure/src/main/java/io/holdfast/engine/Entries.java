package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * The nested acquisitions of a hold, with the mode and the times that they want, even
 * after their release. Guarded by the hold.
 */
final class Entries {

	private final List<Entry> all = new ArrayList<>(1);

	private LockMode mode;

	// Until when released entries keep the keys
	private long keptUntil;

	private long exclusiveUntil;

	// Unknown for an owner by handle, until its user is noted
	private volatile @Nullable Thread user;

	Entries(LockMode mode, @Nullable Thread user, long now) {
		this.mode = mode;
		this.user = user;
		this.keptUntil = now;
		this.exclusiveUntil = now;
	}

	LockMode mode() {
		return this.mode;
	}

	@Nullable Thread user() {
		return this.user;
	}

	void user(Thread user) {
		this.user = user;
	}

	List<Entry> all() {
		return List.copyOf(this.all);
	}

	boolean isEmpty() {
		return this.all.isEmpty();
	}

	void open(Entry entry) {
		this.all.add(entry);
	}

	void close(Entry entry) {
		if (this.all.remove(entry)) {
			this.keptUntil = MonotonicClock.later(this.keptUntil, entry.keptUntil());
			this.exclusiveUntil = exclusiveUntil(entry);
		}
	}

	void clear() {
		this.all.clear();
	}

	int count(LockMode counted, @Nullable Entry besides) {
		int count = 0;
		for (Entry entry : this.all) {
			count += (entry != besides && entry.terms().mode() == counted) ? 1 : 0;
		}
		return count;
	}

	// Unless another entry is exclusive, or one that was wants to keep out others
	boolean downgrade(Entry leaving, long now) {
		if (this.mode == LockMode.SHARED || count(LockMode.EXCLUSIVE, leaving) > 0
				|| exclusiveUntil(leaving) - now > 0) {
			return false;
		}
		this.mode = LockMode.SHARED;
		return true;
	}

	private long exclusiveUntil(Entry leaving) {
		return (leaving.terms().mode() == LockMode.EXCLUSIVE)
				? MonotonicClock.later(this.exclusiveUntil, leaving.keptUntil()) : this.exclusiveUntil;
	}

	long keptUntil() {
		long latest = this.keptUntil;
		for (Entry entry : this.all) {
			latest = MonotonicClock.later(latest, entry.keptUntil());
		}
		return latest;
	}

	boolean endWithTransaction() {
		return this.all.stream().anyMatch(Entry::endsWithTransaction);
	}

	List<Runnable> lossListeners() {
		return this.all.stream().flatMap(Entry::lossListeners).toList();
	}

	void onLoss(Entry entry, Runnable listener) {
		if (this.all.contains(entry)) {
			entry.addLossListener(listener);
		}
	}

	// The longest that any of them still wants
	@Nullable Duration wantedLease(long now) {
		Duration longest = null;
		for (Entry entry : this.all) {
			Duration wanted = entry.wantedLease(now);
			longest = (longest == null || (wanted != null && wanted.compareTo(longest) > 0)) ? wanted : longest;
		}
		return longest;
	}

}
