package io.holdfast.engine.simulation;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;

/**
 * Whoever asks for a lock that is free, and that nobody else wants, gets it.
 */
final class FreeIsGranted extends Rule {

	private static final int CALLS = 2;

	private final Map<String, Long> quietAfter = new HashMap<>();

	private final Set<Attempt> underWay = new LinkedHashSet<>();

	private final Set<Attempt> alone = new LinkedHashSet<>();

	@Override
	void asked(Attempt attempt) {
		this.alone.removeIf((other) -> attempt.isForSame(other));
		if (attempt.keys().stream().allMatch(this::isQuiet)
				&& this.underWay.stream().noneMatch((other) -> attempt.isForSame(other))
				&& this.scene.open().stream().noneMatch((section) -> attempt.isForSame(section.attempt()))
				&& !attempt.instance().host().isStalling(this.scene.now())
				&& this.scene.server().look(attempt.keys()).isEmpty() && isLong(attempt)) {
			this.alone.add(attempt);
		}
		this.underWay.add(attempt);
	}

	private boolean isLong(Attempt attempt) {
		long lease = attempt.lease();
		return lease > CALLS * this.circumstances.callTime + attempt.stalled();
	}

	private boolean isQuiet(String key) {
		return this.scene.now() > this.quietAfter.getOrDefault(key, 0L);
	}

	private void ended(Attempt attempt) {
		long quietAfter = attempt.isCancelled() ? Long.MAX_VALUE
				: this.scene.now() + attempt.stalled() + CALLS * this.circumstances.callTime;
		attempt.keys().forEach((key) -> this.quietAfter.merge(key, quietAfter, Math::max));
	}

	@Override
	void leaving(Section section) {
		this.underWay.add(section.attempt());
	}

	@Override
	void left(Section section, @Nullable ReleaseResult result) {
		this.underWay.remove(section.attempt());
		ended(section.attempt());
	}

	@Override
	void entered(Section section) {
		this.underWay.remove(section.attempt());
		this.alone.remove(section.attempt());
	}

	@Override
	void refused(Attempt attempt, @Nullable Throwable failure) {
		this.underWay.remove(attempt);
		ended(attempt);
		if (this.alone.remove(attempt) && isLong(attempt) && this.circumstances.isUndisturbed()
				&& !attempt.isCancelled() && !attempt.instance().isInterrupted(attempt.thread())
				&& !attempt.instance().isStopping()) {
			this.scene.violation("%s was refused although nobody was in its way: %s", attempt, failure);
		}
	}

}
