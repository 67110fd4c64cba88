package io.holdfast.engine.simulation.check;

import java.util.ArrayList;
import java.util.List;

import io.holdfast.engine.simulation.schedule.Scheduler;

/**
 * What was found to be wrong.
 */
public final class Report {

	private final Scheduler scheduler;

	private final List<String> violations = new ArrayList<>();

	private String threads = "";

	public Report(Scheduler scheduler) {
		this.scheduler = scheduler;
	}

	public void violation(String what) {
		if (this.violations.isEmpty()) {
			this.threads = this.scheduler.threadDump();
		}
		this.scheduler.note("WRONG: " + what);
		this.violations.add("at " + this.scheduler.now() / 1000 + ": " + what);
	}

	/**
	 * Return where all threads were when something was wrong for the first time.
	 */
	public String threads() {
		return this.threads;
	}

	public List<String> violations() {
		return this.violations;
	}

	/**
	 * Return whether nobody is about to do anything.
	 */
	boolean isQuiet() {
		return this.scheduler.isQuiet();
	}

	long now() {
		return this.scheduler.now();
	}

}
