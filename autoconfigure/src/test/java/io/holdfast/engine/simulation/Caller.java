package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LockRequest;

/**
 * A thread that asks for locks, each time in another way, does something under them and
 * releases them, or has others do that.
 */
final class Caller implements Runnable {

	private static final int MOST_NESTED = 3;

	private static final int EXTENSIONS = 20;

	private final Scheduler scheduler;

	private final Instance instance;

	private final Chance chance;

	private final Mix mix;

	private final Sections sections;

	private final Requests requests;

	private final List<Section> inside = new ArrayList<>();

	Caller(Instance instance, Chance chance, Mix mix) {
		this.scheduler = instance.scheduler();
		this.instance = instance;
		this.chance = chance;
		this.mix = mix;
		this.requests = new Requests(chance, mix);
		this.sections = new Sections(instance, chance, mix.kinds());
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

	private boolean round() {
		Section section = this.sections.enter(this.requests.any(false), List.of());
		if (section == null) {
			return false;
		}
		this.inside.add(section);
		inside();
		return true;
	}

	private void inside() {
		work(this.inside.get(0));
		while (this.chance.percent(this.mix.kinds().nested()) && this.inside.size() < MOST_NESTED) {
			Section nested = this.sections.enter(this.requests.any(true), this.inside);
			if (nested != null) {
				this.inside.add(nested);
				work(nested);
			}
		}
		while (!this.inside.isEmpty()) {
			boolean anyOrder = this.chance.oneIn(3) && areOfDifferentKeys();
			this.sections
				.leave(this.inside.remove(anyOrder ? this.chance.below(this.inside.size()) : this.inside.size() - 1));
			if (!this.inside.isEmpty()) {
				work(this.inside.get(0));
			}
		}
	}

	private boolean areOfDifferentKeys() {
		List<String> keys = this.inside.stream().flatMap((section) -> section.attempt().keys().stream()).toList();
		return keys.stream().distinct().count() == keys.size();
	}

	private void work(Section section) {
		this.scheduler.sleepFor(this.chance.around(this.mix.meanSection()));
		if (this.chance.oneIn(EXTENSIONS) && section.handle() != null) {
			this.sections.extend(section.handle(), this.mix.lease());
		}
		if (this.chance.oneIn(EXTENSIONS)) {
			this.sections.ensureHeld();
		}
		this.instance.maybeStop();
	}

}
