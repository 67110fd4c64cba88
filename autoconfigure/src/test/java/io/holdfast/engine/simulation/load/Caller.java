package io.holdfast.engine.simulation.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.engine.simulation.schedule.Chance;
import io.holdfast.engine.simulation.schedule.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A thread that asks for locks, each time in another way, does something under them and
 * releases them, or has others do that.
 */
public final class Caller implements Runnable {

	private static final int MOST_NESTED = 3;

	private static final int EXTENSIONS = 20;

	private final Scheduler scheduler;

	private final Instance instance;

	private final Chance chance;

	private final Mix mix;

	private final Sections sections;

	private final Requests requests;

	private final List<Section> inside = new ArrayList<>();

	/**
	 * Create a caller.
	 */
	public Caller(Scheduler scheduler, Instance instance, Chance chance, Mix mix, Observer observer) {
		this.scheduler = scheduler;
		this.instance = instance;
		this.chance = chance;
		this.mix = mix;
		this.requests = new Requests(chance, mix);
		this.sections = new Sections(scheduler, instance, chance, mix.kinds(), observer);
	}

	@Override
	public void run() {
		boolean abandons = this.chance.percent(this.mix.abandoned());
		int rounds = abandons ? this.chance.below(this.mix.rounds()) : this.mix.rounds();
		boolean hasLock = true;
		for (int i = 0; i < rounds && !this.instance.isStopping(); i++) {
			if (hasLock || this.chance.oneIn(2)) {
				this.scheduler.sleepFor(this.chance.around(this.mix.meanPause()));
			}
			Thread.interrupted();
			hasLock = round();
		}
		if (abandons) {
			this.sections.enterForGood(LockRequest.of(this.mix.keys().get(0)).waitFor(Duration.ofSeconds(1)));
		}
	}

	/**
	 * Have one section.
	 * @return whether the lock was acquired
	 */
	private boolean round() {
		Entered entered = this.sections.enter(this.requests.any(!this.inside.isEmpty()), this.inside);
		if (entered == null) {
			return false;
		}
		this.inside.add(entered.section());
		inside(entered);
		this.inside.remove(entered.section());
		return true;
	}

	private void inside(Entered entered) {
		work(entered);
		List<Entered> others = new ArrayList<>(List.of(entered));
		while (this.chance.percent(this.mix.kinds().nested()) && others.size() < MOST_NESTED) {
			Entered other = this.sections.enter(this.requests.any(true), this.inside);
			if (other != null) {
				others.add(other);
				this.inside.add(other.section());
				work(other);
			}
		}
		while (!others.isEmpty()) {
			boolean anyOrder = this.chance.oneIn(3) && areOfDifferentKeys(others);
			Entered next = others.remove(anyOrder ? this.chance.below(others.size()) : others.size() - 1);
			this.inside.remove(next.section());
			this.sections.leave(next);
			if (!others.isEmpty()) {
				work(others.get(0));
			}
		}
	}

	/**
	 * The view of a lock that was acquired twice releases the latest first.
	 */
	private static boolean areOfDifferentKeys(List<Entered> others) {
		List<String> keys = others.stream().flatMap((entered) -> entered.section().attempt().keys().stream()).toList();
		return keys.stream().distinct().count() == keys.size();
	}

	private void work(Entered entered) {
		this.scheduler.sleepFor(this.chance.around(this.mix.meanSection()));
		if (this.chance.oneIn(EXTENSIONS) && entered.handle() != null) {
			this.sections.extend(entered.handle(), this.mix.lease());
		}
		if (this.chance.oneIn(EXTENSIONS)) {
			this.sections.ensureHeld();
		}
		this.instance.maybeStop();
	}

	/**
	 * A section, and what releases it.
	 *
	 * @param handle the handle, or {@code null} when the lock was acquired by a view of
	 * it
	 */
	record Entered(Section section, @Nullable LockHandle handle, Runnable unlock) {
	}

}
