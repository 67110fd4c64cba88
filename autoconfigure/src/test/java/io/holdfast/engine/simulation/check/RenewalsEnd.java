package io.holdfast.engine.simulation.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.simulation.load.Attempt;
import io.holdfast.engine.simulation.load.Section;
import io.holdfast.engine.simulation.store.Grants;
import io.holdfast.engine.simulation.store.Grants.Grant;
import io.holdfast.engine.simulation.store.StoreCall;
import org.jspecify.annotations.Nullable;

/**
 * A lock is not renewed once it has been released, its owner's thread has died, or it was
 * held for as long as it was to be.
 */
final class RenewalsEnd extends Rule {

	private static final long SLACK = 10_000_000;

	private final Report report;

	private final OpenSections open;

	private final Grants grants;

	private final Circumstances circumstances;

	/**
	 * What was refused a moment ago: it may have been granted, and is given back.
	 */
	private final Map<Attempt, Long> refused = new HashMap<>();

	private final List<Section> sections = new ArrayList<>();

	private final Map<Section, Long> left = new HashMap<>();

	private final Set<Grant> ofTheDead = new HashSet<>();

	RenewalsEnd(Report report, OpenSections open, Grants grants, Circumstances circumstances) {
		this.report = report;
		this.open = open;
		this.grants = grants;
		this.circumstances = circumstances;
	}

	@Override
	void refused(Attempt attempt, @Nullable Throwable failure) {
		this.refused.put(attempt, this.report.now());
	}

	@Override
	void entered(Section section) {
		this.sections.add(section);
	}

	@Override
	void left(Section section) {
		this.left.put(section, this.report.now());
	}

	@Override
	void sent(StoreCall<?> call) {
		for (Renewal renewal : call.renewals()) {
			LockStore.Grant first = renewal.hold().grants().get(0);
			Grant grant = this.grants.find(first.key(), renewal.hold().owner(), first.token());
			if (grant != null && prolongs(renewal, grant)) {
				check(grant, this.sections.stream().filter((section) -> isUnder(section, renewal.hold())).toList());
			}
		}
	}

	/**
	 * Return whether it changes anything, rather than just asks.
	 */
	private boolean prolongs(Renewal renewal, Grant grant) {
		return !this.circumstances.isClockSet()
				&& this.report.now() + renewal.lease().toNanos() > grant.expires() + SLACK;
	}

	private boolean isUnder(Section section, HoldId hold) {
		return hold.grants().stream().anyMatch((grant) -> {
			Long token = section.tokens().get(grant.key());
			return token != null && this.grants.find(grant.key(), section.owner(), token) == this.grants
				.find(grant.key(), hold.owner(), grant.token());
		});
	}

	private void check(Grant grant, List<Section> inside) {
		if (inside.isEmpty() || inside.stream()
			.map(Section::attempt)
			.anyMatch((attempt) -> isAskedFor(attempt) || attempt.thread() == Thread.currentThread())) {
			return;
		}
		Attempt attempt = inside.get(inside.size() - 1).attempt();
		if (this.left.keySet().containsAll(inside)) {
			checkTime(grant, "released", inside.stream().mapToLong(this.left::get).max().orElseThrow(), attempt);
		}
		if (!attempt.request().handleBound() && !attempt.thread().isAlive() && !this.ofTheDead.add(grant)) {
			this.report.violation(grant + " is renewed, but its thread has died");
		}
		List<Section> open = inside.stream().filter((section) -> !section.isLeft()).toList();
		if (open.size() == 1 && !isAround(open.get(0), grant)) {
			checkTerms(grant, open.get(0));
		}
	}

	/**
	 * Return whether an acquisition within it wants some of its keys for longer: all are
	 * renewed then.
	 */
	private boolean isAround(Section section, Grant grant) {
		return this.sections.stream()
			.filter((other) -> other != section && !other.isLeft())
			.anyMatch((other) -> this.grants.ofSameHold(grant).anyMatch((part) -> isUnder(other, part)));
	}

	private boolean isUnder(Section section, Grant part) {
		Long token = section.tokens().get(part.key());
		return token != null && this.grants.find(part.key(), section.owner(), token) == part;
	}

	/**
	 * Return whether it may be held again.
	 */
	private boolean isAskedFor(Attempt attempt) {
		this.refused.entrySet().removeIf((other) -> isOver(other.getValue(), other.getKey()));
		return Stream.concat(this.open.asking(), this.refused.keySet().stream())
			.anyMatch((other) -> other.instance() == attempt.instance() && other.isForSame(attempt));
	}

	private void checkTerms(Grant grant, Section section) {
		Attempt attempt = section.attempt();
		if (Boolean.FALSE.equals(attempt.request().autoRenew())) {
			this.report.violation(grant + " is renewed, but was not to be");
		}
		if (attempt.request().maxHold() != null) {
			checkTime(grant, "held long enough", section.entered() + attempt.request().maxHold().toNanos(), attempt);
		}
	}

	private void checkTime(Grant grant, String what, long since, Attempt attempt) {
		if (isOver(since, attempt)) {
			this.report.violation("%s is renewed, but was %s at %d".formatted(grant, what, since / 1000));
		}
	}

	private boolean isOver(long since, Attempt attempt) {
		return this.report.now() - since > SLACK + attempt.stalled();
	}

}
