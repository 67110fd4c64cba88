package io.holdfast.engine.simulation;

import io.holdfast.LockSnapshot;
import io.holdfast.engine.simulation.Grants.End;
import io.holdfast.engine.simulation.Grants.Grant;
import org.jspecify.annotations.Nullable;

/**
 * Something that must always be true. Sees what it has to see for that.
 */
abstract class Rule {

	final Scene scene;

	final Circumstances circumstances;

	Rule(Scene scene) {
		this.scene = scene;
		this.circumstances = scene.circumstances();
	}

	void asked(Attempt attempt) {
	}

	void refused(Attempt attempt, @Nullable Throwable failure) {
	}

	void entered(Section section) {
	}

	void leaving(Section section) {
	}

	void left(Section section) {
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
