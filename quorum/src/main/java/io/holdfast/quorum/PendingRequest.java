package io.holdfast.quorum;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStoreException;

/**
 * A request that a node has not confirmed yet.
 */
interface PendingRequest {

	/**
	 * Tell the node.
	 * @return whether all of it was held until now
	 * @throws LockStoreException when the node cannot be asked
	 */
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
	 *
	 * @param keys the keys
	 * @param holder what the store calls the holder
	 * @param granted the node's grants; empty if unknown
	 * @param agreed the tokens that a quorum agrees on; empty for none
	 */
	record TakeBack(List<String> keys, String holder, List<Grant> granted,
			List<Grant> agreed) implements PendingRequest {

		/**
		 * Withdraw a hold, also from a node that does not know yet that its grant counts.
		 */
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
	 *
	 * @param hold the hold
	 * @param until the end of that time
	 */
	record Keep(HoldId hold, long until) implements PendingRequest {

		@Override
		public boolean send(NodeLocks locks) {
			long rest = this.until - System.nanoTime();
			return (rest > 0) ? locks.keep(this.hold, Duration.ofNanos(rest)) : TakeBack.of(this.hold).send(locks);
		}

	}

}
