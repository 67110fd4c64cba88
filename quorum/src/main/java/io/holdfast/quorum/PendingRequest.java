package io.holdfast.quorum;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;

/**
 * A request that a node has not confirmed yet.
 */
interface PendingRequest {

	boolean send(NodeLocks locks);

	/**
	 * A claim is withdrawn, and denied for some time, but keeps its place in the queues.
	 */
	record WithdrawClaim(Claim claim, Duration refused) implements PendingRequest {

		@Override
		public boolean send(NodeLocks locks) {
			locks.withdraw(this.claim.at(null), this.refused);
			return true;
		}

	}

	/**
	 * Grants are withdrawn, whether they count already or not.
	 */
	record TakeBack(List<String> keys, String holder, List<Grant> granted,
			List<Grant> agreed) implements PendingRequest {

		// Withdraw a hold, also from a node that does not know yet that its grant counts
		static TakeBack of(HoldId hold) {
			return new TakeBack(hold.keys(), hold.holder(), List.of(), hold.grants());
		}

		@Override
		public boolean send(NodeLocks locks) {
			return locks.takeBack(this.keys, this.holder, this.granted, this.agreed);
		}

	}

	/**
	 * A hold has ended, but its keys stay taken for the rest of a time. Afterwards it is
	 * withdrawn like any other.
	 */
	record Keep(HoldId hold, long until) implements PendingRequest {

		@Override
		public boolean send(NodeLocks locks) {
			long rest = this.until - System.nanoTime();
			return (rest > 0) ? locks.keep(this.hold, Duration.ofNanos(rest)) : TakeBack.of(this.hold).send(locks);
		}

	}

}
