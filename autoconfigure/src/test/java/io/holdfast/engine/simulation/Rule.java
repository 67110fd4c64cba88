package io.holdfast.engine.simulation;

import io.holdfast.LockSnapshot;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.simulation.Grants.End;
import io.holdfast.engine.simulation.Grants.Grant;
import org.jspecify.annotations.Nullable;

/**
 * Something that must always be true. Sees what it has to see for that.
 */
abstract class Rule {

	Scene scene;

	Circumstances circumstances;

	final void see(Scene seen) {
		this.scene = seen;
		this.circumstances = seen.circumstances();
	}

	void asked(Attempt attempt) {
	}

	void refused(Attempt attempt, @Nullable Throwable failure) {
	}

	void entered(Section section) {
	}

	void leaving(Section section) {
	}

	void left(Section section, @Nullable ReleaseResult result) {
	}

	void lost(Instance instance, LockSnapshot lock, Throwable cause) {
	}

	void stopped(Instance instance, long late) {
	}

	void ended(Grant grant, End end, @Nullable StoreCall<?> call) {
	}

	void look() {
	}

	void atTheEnd() {
	}

}
