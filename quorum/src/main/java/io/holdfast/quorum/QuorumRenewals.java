package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.holdfast.engine.LockStore.Gone;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;

final class QuorumRenewals {

	private final Quorum quorum;

	private final List<Renewal> renewals;

	QuorumRenewals(Quorum quorum, List<Renewal> renewals) {
		this.quorum = quorum;
		this.renewals = renewals;
	}

	List<RenewalOutcome> run() {
		Poll<List<RenewalOutcome>> poll = this.quorum.ask((node) -> node.locks().renew(this.renewals),
				this::areRenewed);
		List<RenewalOutcome> outcomes = new ArrayList<>();
		for (int i = 0; i < this.renewals.size(); i++) {
			outcomes.add(outcome(poll, i));
		}
		return outcomes;
	}

	private boolean areRenewed(Poll<List<RenewalOutcome>> poll) {
		for (int i = 0; i < this.renewals.size(); i++) {
			int index = i;
			if (poll.count((answer) -> answer.get(index) instanceof Renewed) < this.quorum.size()) {
				return false;
			}
		}
		return true;
	}

	// A hold lasts for as long as a quorum keeps it
	private RenewalOutcome outcome(Poll<List<RenewalOutcome>> poll, int index) {
		List<Duration> lasting = new ArrayList<>();
		for (List<RenewalOutcome> answer : poll.answers().values()) {
			if (answer.get(index) instanceof Renewed renewed) {
				lasting.add(renewed.lasts());
			}
		}
		if (lasting.size() >= this.quorum.size()) {
			lasting.sort(Comparator.reverseOrder());
			return new Renewed(lasting.get(this.quorum.size() - 1));
		}
		int gone = poll.count((answer) -> answer.get(index) instanceof Gone);
		return (gone > this.quorum.spare()) ? new Gone()
				: new NotAnswered(this.quorum.undecided(poll, (answer) -> answer.get(index) instanceof Renewed));
	}

}
