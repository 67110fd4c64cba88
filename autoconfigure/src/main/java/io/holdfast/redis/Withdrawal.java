package io.holdfast.redis;

import java.util.List;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;

/**
 * What an owner is to have no more on a node. Named by its tokens where they are known,
 * or else by claims, so that it hits nothing of a later claim or hold.
 *
 * @param owner who may have been granted it, or an empty string for nobody
 * @param number the number of the last claim of that owner that is meant
 * @param holder what the store calls who has it
 * @param keys the keys
 * @param granted what the node has granted the holder; empty when that is not known
 * @param agreed the keys with the tokens that a quorum agrees on; empty for none
 */
public record Withdrawal(String owner, long number, String holder, List<String> keys, List<Grant> granted,
		List<Grant> agreed) {

	/**
	 * Withdraw what a node may have granted an owner, up to one of its claims.
	 * @param keys the keys
	 * @param owner the owner
	 * @param number the number of the last claim that is meant
	 * @return the withdrawal
	 */
	public static Withdrawal of(List<String> keys, String owner, long number) {
		return new Withdrawal(owner, number, "", keys, List.of(), List.of());
	}

	/**
	 * Withdraw what a node has granted a claim, whether it counts already or not.
	 * @param claim the claim
	 * @param granted what the node has granted
	 * @param agreed the keys with the tokens that a quorum agrees on; empty for none
	 * @return the withdrawal
	 */
	public static Withdrawal of(Claim claim, List<Grant> granted, List<Grant> agreed) {
		return new Withdrawal("", 0, claim.holder(), claim.keys(), granted, agreed);
	}

	/**
	 * Withdraw a hold, also from a node that has not heard yet that its grant counts.
	 * @param hold the hold
	 * @return the withdrawal
	 */
	public static Withdrawal of(HoldId hold) {
		return new Withdrawal("", 0, hold.holder(), hold.keys(), List.of(), hold.grants());
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

}
