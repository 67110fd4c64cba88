package io.holdfast.engine.simulation.check;

import io.holdfast.LockSnapshot;
import io.holdfast.engine.simulation.load.Attempt;
import io.holdfast.engine.simulation.load.Instance;
import io.holdfast.engine.simulation.load.Section;
import io.holdfast.engine.simulation.store.Grants.End;
import io.holdfast.engine.simulation.store.Grants.Grant;
import io.holdfast.engine.simulation.store.StoreCall;
import org.jspecify.annotations.Nullable;

/**
 * Something that must always be true. Sees what it has to see for that.
 */
abstract class Rule {

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

	void sent(StoreCall<?> call) {
	}

	void ended(Grant grant, End end, @Nullable StoreCall<?> call) {
	}

	/**
	 * A moment has passed.
	 */
	void look() {
	}

	/**
	 * Callers are done, and there was time for all that takes place in the background.
	 */
	void atTheEnd() {
	}

}
