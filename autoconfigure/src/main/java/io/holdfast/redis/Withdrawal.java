package io.holdfast.redis;

import java.util.List;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;

/**
 * What an owner is to have no more on a node. Named by its tokens where they are known,
 * so that it hits nothing of a later attempt or hold.
 *
 * @param owner who has it
 * @param keys the keys
 * @param granted what the node has granted; empty when that is not known, which means
 * whatever it has granted tentatively
 * @param agreed the keys with the tokens that a quorum agrees on; empty for none
 */
record Withdrawal(String owner, List<String> keys, List<Grant> granted, List<Grant> agreed) implements Debt {

	/**
	 * Withdraw what a node may have granted, or may grant yet.
	 */
	static Withdrawal of(Claim claim) {
		return new Withdrawal(claim.owner(), claim.keys(), List.of(), List.of());
	}

	/**
	 * Withdraw a hold, also from a node that has not heard yet that its grant counts.
	 */
	static Withdrawal of(HoldId hold) {
		return new Withdrawal(hold.owner(), hold.keys(), List.of(), hold.grants());
	}

	/**
	 * Return the token that the node has granted for a key, or zero.
	 */
	long granted(int index) {
		return this.granted.isEmpty() ? 0 : this.granted.get(index).token();
	}

	/**
	 * Return the token that is agreed on for a key, or zero.
	 */
	long agreed(int index) {
		return this.agreed.isEmpty() ? 0 : this.agreed.get(index).token();
	}

	@Override
	public long greatestAgreed(List<String> some) {
		return this.agreed.stream()
			.filter((grant) -> some.contains(grant.key()))
			.mapToLong(Grant::token)
			.max()
			.orElse(0);
	}

	@Override
	public boolean settle(SlotLocks locks) {
		return locks.withdraw(this);
	}

}
