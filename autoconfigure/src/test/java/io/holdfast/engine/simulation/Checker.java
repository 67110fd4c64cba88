package io.holdfast.engine.simulation;

import java.util.List;
import java.util.function.Consumer;

import io.holdfast.LockSnapshot;
import io.holdfast.engine.simulation.Grants.End;
import io.holdfast.engine.simulation.Grants.Grant;
import org.jspecify.annotations.Nullable;

/**
 * Sees all that callers do and are told, and what becomes of grants, and holds it against
 * the rules.
 */
final class Checker {

	private final Scheduler scheduler;

	private final Scene scene;

	private final List<Rule> rules;

	Checker(Scheduler scheduler, Scene scene) {
		this.scheduler = scheduler;
		this.scene = scene;
		this.rules = List.of(new HeldByOne(scene), new TokensGrow(scene), new LossesAreTrue(scene), new WaitsEnd(scene),
				new FreeIsTaken(scene), new HeldForSomebody(scene), new FreeIsGranted(scene), new NothingIsLeft(scene));
		scene.grants().observer(this);
	}

	void look() {
		tell(Rule::look);
	}

	void atTheEnd() {
		tell(Rule::atTheEnd);
	}

	private void tell(Consumer<Rule> event) {
		this.scheduler.atomically(() -> {
			this.rules.forEach(event);
			return this;
		});
	}

	void asked(Attempt attempt) {
		this.scheduler.note("asks for " + attempt);
		this.scene.asking().add(attempt);
		tell((rule) -> rule.asked(attempt));
	}

	/**
	 * A caller has not got a lock.
	 * @param failure what was thrown, or {@code null} if it just was not acquired in time
	 */
	void refused(Attempt attempt, @Nullable Throwable failure) {
		this.scheduler.note("has not got " + attempt + ((failure != null) ? ": " + failure : ""));
		this.scene.asking().remove(attempt);
		tell((rule) -> rule.refused(attempt, failure));
	}

	void entered(Section section) {
		this.scheduler.note("has " + section);
		this.scene.asking().remove(section.attempt());
		this.scene.open().add(section);
		tell((rule) -> rule.entered(section));
	}

	void leaving(Section section) {
		this.scheduler.note("releases " + section);
		this.scene.open().remove(section);
		tell((rule) -> rule.leaving(section));
	}

	void left(Section section) {
		this.scheduler.note("has released " + section + " " + section.result());
		tell((rule) -> rule.left(section));
	}

	void failed(String what, Throwable failure) {
		if (!(failure instanceof SimThread.SimulationEnd)) {
			this.scene.violation("%s has thrown %s", what, failure);
		}
	}

	void lost(Instance instance, LockSnapshot lock, Throwable cause) {
		this.scheduler.note("lost " + lock.owner() + lock.keys() + lock.fencingToken() + ": " + cause.getMessage());
		tell((rule) -> rule.lost(instance, lock, cause));
	}

	/**
	 * An instance has shut down.
	 * @param late how many nanoseconds that took beyond its grace
	 */
	void stopped(Instance instance, long late) {
		tell((rule) -> rule.stopped(instance, late));
	}

	void ended(Grant grant, End end, @Nullable StoreCall<?> call) {
		tell((rule) -> rule.ended(grant, end, call));
	}

}
