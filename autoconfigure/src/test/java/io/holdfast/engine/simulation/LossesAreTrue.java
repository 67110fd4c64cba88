package io.holdfast.engine.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.holdfast.LockSnapshot;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.simulation.Grants.End;
import io.holdfast.engine.simulation.Grants.Grant;
import org.jspecify.annotations.Nullable;

/**
 * A loss is told once, and only when the lock was lost; a release says whether it was;
 * and where nothing is wrong, a lock that is renewed is not lost.
 */
final class LossesAreTrue extends Rule {

	private final Map<String, LockSnapshot> told = new LinkedHashMap<>();

	private final Map<Attempt, Long> leaving = new HashMap<>();

	private final List<Section> endedLost = new ArrayList<>();

	@Override
	void lost(Instance instance, LockSnapshot lock, Throwable cause) {
		if (this.told.put(id(lock.keys().get(0), lock.owner(), lock.fencingToken()), lock) != null) {
			this.scene.violation("loss told twice: %s", lock);
		}
		if (!lock.remainingLease().isZero() && !instance.mayLoseByStop(lock.owner()) && !isGone(lock)) {
			this.scene.violation("loss of %s, which was not lost: %s", lock, cause.getMessage());
		}
		if (this.circumstances.isUndisturbed() && !instance.isStopping()) {
			this.scene.open()
				.stream()
				.filter((section) -> isOf(section, lock) && isRenewed(section.attempt()))
				.forEach((section) -> this.scene.violation("%s is lost: %s", section, cause.getMessage()));
		}
	}

	private static String id(String key, String owner, long token) {
		return owner + key + token;
	}

	private boolean isGone(LockSnapshot lock) {
		Grant first = this.scene.grants().find(lock.keys().get(0), lock.owner(), lock.fencingToken());
		return first == null || this.scene.grants().ofSameHold(first).anyMatch((part) -> part.lost);
	}

	private static boolean isOf(Section section, LockSnapshot lock) {
		return section.owner().equals(lock.owner())
				&& section.tokens().getOrDefault(lock.keys().get(0), -1L) == lock.fencingToken();
	}

	private boolean isRenewed(Attempt attempt) {
		long lease = attempt.lease();
		return attempt.request().maxHold() == null && !Boolean.FALSE.equals(attempt.request().autoRenew())
				&& attempt.thread().isAlive() && attempt.stalled() + 3 * this.circumstances.callTime < lease / 3;
	}

	@Override
	void leaving(Section section) {
		this.leaving.put(section.attempt(), this.scene.now());
	}

	@Override
	void left(Section section, @Nullable ReleaseResult result) {
		if (result == ReleaseResult.LOST) {
			this.endedLost.add(section);
		}
		else if (result == ReleaseResult.RELEASED && section.isOwnerKnown() && !this.circumstances.dataLost) {
			section.tokens().forEach((key, token) -> {
				Grant grant = this.scene.grants().find(key, section.owner(), token);
				if (grant == null || !mayBeReleased(section, grant)) {
					this.scene.violation("%s was released, but %s", section, Objects.toString(grant));
				}
			});
		}
	}

	/**
	 * Return whether the store had the grant when it was last asked: a section may leave
	 * it to the next one without asking.
	 */
	private boolean mayBeReleased(Section section, Grant grant) {
		End end = grant.end;
		long confirmed = this.leaving.getOrDefault(section.attempt(), 0L)
				- section.attempt().instance().handoverCheck().toNanos();
		return end == null || end == End.RELEASED || grant.endedAt > confirmed
				|| (end == End.EXPIRED && this.circumstances.clockSetBack);
	}

	@Override
	void atTheEnd() {
		this.endedLost.stream()
			.filter((section) -> !section.attempt().instance().isDead() && !section.tokens().isEmpty()
					&& section.isOwnerKnown() && !isTold(section))
			.forEach((section) -> this.scene.violation("no loss told of %s, which was lost", section));
	}

	private boolean isTold(Section section) {
		return section.tokens().entrySet().stream().anyMatch((token) -> {
			Grant grant = this.scene.grants().find(token.getKey(), section.owner(), token.getValue());
			return this.told.containsKey(id(token.getKey(), section.owner(), token.getValue()))
					|| (grant != null && this.scene.grants()
						.ofSameHold(grant)
						.anyMatch((part) -> this.told.containsKey(id(part.key(), part.owner(), part.token()))));
		});
	}

}
