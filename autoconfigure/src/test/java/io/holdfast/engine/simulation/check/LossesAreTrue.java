package io.holdfast.engine.simulation.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.holdfast.LockSnapshot;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.simulation.load.Instance;
import io.holdfast.engine.simulation.load.Section;
import io.holdfast.engine.simulation.store.Grants;
import io.holdfast.engine.simulation.store.Grants.End;
import io.holdfast.engine.simulation.store.Grants.Grant;
import org.jspecify.annotations.Nullable;

/**
 * A loss is told once, and only when the lock was lost; and a release says whether it
 * was.
 */
final class LossesAreTrue extends Rule {

	private final Report report;

	private final Grants grants;

	private final Circumstances circumstances;

	private final Map<String, LockSnapshot> told = new LinkedHashMap<>();

	private final List<Section> endedLost = new ArrayList<>();

	LossesAreTrue(Report report, Grants grants, Circumstances circumstances) {
		this.report = report;
		this.grants = grants;
		this.circumstances = circumstances;
	}

	@Override
	void lost(Instance instance, LockSnapshot lock, Throwable cause) {
		String key = lock.keys().get(0);
		if (this.told.put(lock.owner() + key + lock.fencingToken(), lock) != null) {
			this.report.violation("loss told twice: " + lock);
		}
		boolean leaseOver = lock.remainingLease().isZero();
		if (!leaseOver && !instance.mayLoseByStop(lock.owner()) && !isGone(lock)) {
			this.report.violation("loss of %s, which was not lost: %s".formatted(text(lock), cause.getMessage()));
		}
	}

	/**
	 * Return whether the server once did not have one of the keys any more.
	 */
	private boolean isGone(LockSnapshot lock) {
		Grant first = this.grants.find(lock.keys().get(0), lock.owner(), lock.fencingToken());
		return first == null || this.grants.ofSameHold(first).anyMatch(Grant::wasLost);
	}

	private static String text(LockSnapshot lock) {
		return lock.owner() + lock.keys() + lock.fencingToken();
	}

	@Override
	void left(Section section) {
		if (section.result() == ReleaseResult.LOST) {
			this.endedLost.add(section);
		}
		else if (section.result() == ReleaseResult.RELEASED && section.isOwnerKnown()
				&& !this.circumstances.isDataLost()) {
			section.tokens().forEach((key, token) -> {
				Grant grant = this.grants.find(key, section.owner(), token);
				if (grant == null || !mayBeReleased(section, grant)) {
					this.report.violation("%s was released, but %s".formatted(section, Objects.toString(grant)));
				}
			});
		}
	}

	/**
	 * Return whether the store had the grant when it was last asked: a section may leave
	 * it to the next one without asking.
	 */
	private boolean mayBeReleased(Section section, Grant grant) {
		End end = grant.end();
		long confirmed = section.leaving() - section.attempt().instance().handoverCheck().toNanos();
		return end == null || end == End.RELEASED || grant.endedAt() > confirmed
				|| (end == End.EXPIRED && this.circumstances.isClockSetBack());
	}

	@Override
	void atTheEnd() {
		this.endedLost.stream()
			.filter((section) -> !section.attempt().instance().isDead() && !section.tokens().isEmpty()
					&& section.isOwnerKnown() && !isTold(section))
			.forEach((section) -> this.report.violation("no loss told of %s, which was lost".formatted(section)));
	}

	private boolean isTold(Section section) {
		return section.tokens()
			.entrySet()
			.stream()
			.anyMatch((token) -> this.told.containsKey(section.owner() + token.getKey() + token.getValue()))
				|| section.tokens()
					.entrySet()
					.stream()
					.map((token) -> this.grants.find(token.getKey(), section.owner(), token.getValue()))
					.filter(Objects::nonNull)
					.flatMap(this.grants::ofSameHold)
					.anyMatch((grant) -> isTold(grant));
	}

	private boolean isTold(@Nullable Grant grant) {
		return grant != null && this.told.containsKey(grant.owner() + grant.key() + grant.token());
	}

}
