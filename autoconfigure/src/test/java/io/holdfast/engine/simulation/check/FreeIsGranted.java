package io.holdfast.engine.simulation.check;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.holdfast.engine.simulation.load.Attempt;
import io.holdfast.engine.simulation.load.Section;
import io.holdfast.engine.simulation.store.SimServer;
import org.jspecify.annotations.Nullable;

/**
 * Whoever asks for a lock that is free, and that nobody else wants, gets it.
 */
final class FreeIsGranted extends Rule {

	private static final int CALLS = 2;

	private final Report report;

	private final OpenSections open;

	private final SimServer server;

	private final Circumstances circumstances;

	private final Map<String, Long> quietAfter = new HashMap<>();

	/**
	 * Those that are asking, or releasing.
	 */
	private final Set<Attempt> underWay = new LinkedHashSet<>();

	/**
	 * Those that nobody is in the way of.
	 */
	private final Set<Attempt> alone = new LinkedHashSet<>();

	FreeIsGranted(Report report, OpenSections open, SimServer server, Circumstances circumstances) {
		this.report = report;
		this.open = open;
		this.server = server;
		this.circumstances = circumstances;
	}

	@Override
	void asked(Attempt attempt) {
		this.alone.removeIf((other) -> attempt.isForSame(other));
		if (attempt.keys().stream().allMatch(this::isQuiet)
				&& this.underWay.stream().noneMatch((other) -> attempt.isForSame(other))
				&& this.open.all().noneMatch((section) -> attempt.isForSame(section.attempt()))
				&& !attempt.instance().host().stalls().areGoingOn(this.report.now())
				&& this.server.look(attempt.keys()).isEmpty() && isLong(attempt)) {
			this.alone.add(attempt);
		}
		this.underWay.add(attempt);
	}

	/**
	 * Return whether its lease is not over by the time it may be granted and taken.
	 */
	private boolean isLong(Attempt attempt) {
		long lease = attempt.instance().lease(attempt.request()).toNanos();
		return lease > CALLS * this.circumstances.callTime() + attempt.stalled();
	}

	/**
	 * Return whether nobody may still be busy with giving up a key.
	 */
	private boolean isQuiet(String key) {
		return this.report.now() > this.quietAfter.getOrDefault(key, 0L);
	}

	/**
	 * What gives up a cancelled attempt may do so at any time.
	 */
	private void ended(Attempt attempt) {
		long quietAfter = attempt.isCancelled() ? Long.MAX_VALUE
				: this.report.now() + attempt.stalled() + CALLS * this.circumstances.callTime();
		attempt.keys().forEach((key) -> this.quietAfter.merge(key, quietAfter, Math::max));
	}

	@Override
	void leaving(Section section) {
		this.underWay.add(section.attempt());
	}

	@Override
	void left(Section section) {
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
				&& !this.circumstances.isErrorThrown() && !attempt.isCancelled()
				&& !attempt.instance().isInterrupted(attempt.thread()) && !attempt.instance().isStopping()) {
			this.report.violation("%s was refused although nobody was in its way: %s".formatted(attempt, failure));
		}
	}

}
