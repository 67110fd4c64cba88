package io.holdfast.engine.simulation;

import java.util.List;
import java.util.function.Consumer;

import io.holdfast.LockSnapshot;
import io.holdfast.ReleaseResult;
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
		this.rules = List.of(new HeldByOne(), new TokensGrow(), new LossesAreTrue(), new WaitsEnd(), new FreeIsTaken(),
				new HeldForSomebody(), new FreeIsGranted(), new NothingIsLeft());
		this.rules.forEach((rule) -> rule.see(scene));
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

	/**
	 * A caller has released a lock.
	 * @param result what came of it, or {@code null} if a view does not say
	 */
	void left(Section section, @Nullable ReleaseResult result) {
		this.scheduler.note("has released " + section + " " + result);
		tell((rule) -> rule.left(section, result));
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
