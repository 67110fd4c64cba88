package io.holdfast.engine.simulation.check;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.LockSnapshot;
import io.holdfast.engine.simulation.load.Attempt;
import io.holdfast.engine.simulation.load.Instance;
import io.holdfast.engine.simulation.load.Observer;
import io.holdfast.engine.simulation.load.Section;
import io.holdfast.engine.simulation.schedule.InjectedError;
import io.holdfast.engine.simulation.schedule.Scheduler;
import io.holdfast.engine.simulation.schedule.SimulationEnd;
import io.holdfast.engine.simulation.store.Grants;
import io.holdfast.engine.simulation.store.Grants.End;
import io.holdfast.engine.simulation.store.Grants.Grant;
import io.holdfast.engine.simulation.store.SimStores;
import io.holdfast.engine.simulation.store.StoreCall;
import org.jspecify.annotations.Nullable;

/**
 * Sees an episode, and holds it against the rules.
 */
public final class Checker implements Observer, Grants.Observer {

	private final Scheduler scheduler;

	private final Report report;

	private final List<Rule> rules;

	/**
	 * Create a checker.
	 * @param keys what is locked
	 * @param instances the instances that there are
	 */
	public Checker(Scheduler scheduler, SimStores stores, Circumstances circumstances, List<String> keys,
			Supplier<List<Instance>> instances) {
		this.scheduler = scheduler;
		this.report = new Report(scheduler);
		Grants grants = stores.server().grants();
		grants.observer(this);
		OpenSections open = new OpenSections();
		this.rules = List.of(open, new HeldByOne(this.report, open, grants, circumstances),
				new TokensGrow(this.report, grants, circumstances),
				new GrantsLast(this.report, open, grants, circumstances),
				new LossesAreTrue(this.report, grants, circumstances),
				new NothingIsLost(this.report, open, circumstances), new WaitsEnd(this.report, circumstances),
				new RenewalsEnd(this.report, open, grants, circumstances),
				new FreeIsTaken(this.report, stores, open, instances, circumstances),
				new HeldForSomebody(this.report, open, stores, keys, instances, circumstances),
				new FreeIsGranted(this.report, open, stores.server(), circumstances),
				new NothingIsLeft(this.report, stores.server(), keys, instances, circumstances));
	}

	public Report report() {
		return this.report;
	}

	/**
	 * Look at what a moment has brought.
	 */
	public void look() {
		tell(Rule::look);
	}

	/**
	 * Look at what is left when all callers have ended.
	 */
	public void atTheEnd() {
		tell(Rule::atTheEnd);
	}

	private void tell(Consumer<Rule> event) {
		this.scheduler.atomically(() -> {
			this.rules.forEach(event);
			return this;
		});
	}

	@Override
	public void asked(Attempt attempt) {
		tell((rule) -> rule.asked(attempt));
	}

	@Override
	public void refused(Attempt attempt, @Nullable Throwable failure) {
		tell((rule) -> rule.refused(attempt, failure));
	}

	@Override
	public void entered(Section section) {
		tell((rule) -> rule.entered(section));
	}

	@Override
	public void leaving(Section section) {
		tell((rule) -> rule.leaving(section));
	}

	@Override
	public void left(Section section) {
		tell((rule) -> rule.left(section));
	}

	@Override
	public void failed(String what, Throwable failure) {
		if (!(failure instanceof InjectedError) && !(failure instanceof SimulationEnd)) {
			this.report.violation(what + " has thrown " + failure);
		}
	}

	@Override
	public void lost(Instance instance, LockSnapshot lock, Throwable cause) {
		this.scheduler.note("lost " + lock.owner() + lock.keys() + lock.fencingToken() + ": " + cause.getMessage());
		tell((rule) -> rule.lost(instance, lock, cause));
	}

	@Override
	public void stopped(Instance instance, long late) {
		tell((rule) -> rule.stopped(instance, late));
	}

	@Override
	public void sent(StoreCall<?> call) {
		tell((rule) -> rule.sent(call));
	}

	@Override
	public void ended(Grant grant, End end, @Nullable StoreCall<?> call) {
		tell((rule) -> rule.ended(grant, end, call));
	}

}
