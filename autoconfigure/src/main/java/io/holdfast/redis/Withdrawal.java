package io.holdfast.redis;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.engine.store.LockStore.Claim;
import io.holdfast.engine.store.LockStore.Grant;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;

/**
 * What a server is to take away: a claim, a place in queues, or a hold. Named by the
 * claim or by tokens, so that nothing else is hit.
 *
 * @param keys the keys
 * @param claim the claim, or {@code null} for none
 * @param refused for how long late requests of the claim are denied
 * @param place the place in queues, or {@code null} for none
 * @param holder what the store calls the holder, or an empty string for none
 * @param granted what the server has granted the holder; empty when that is not known
 * @param agreed the keys with the tokens that a quorum agrees on; empty for none
 */
public record Withdrawal(List<String> keys, @Nullable Claim claim, Duration refused, @Nullable QueuePlace place,
		String holder, List<Grant> granted, List<Grant> agreed) {

	/**
	 * Withdraw a claim, and its place in the queues.
	 * @param claim the claim
	 * @param refused for how long late requests of it are denied
	 * @return the withdrawal
	 */
	public static Withdrawal of(Claim claim, Duration refused) {
		return new Withdrawal(claim.keys(), claim, refused, claim.place(), "", List.of(), List.of());
	}

	/**
	 * Withdraw what a claim may have been granted, but leave it its place in the queues.
	 * @param claim the claim
	 * @param refused for how long late requests of it are denied
	 * @return the withdrawal
	 */
	public static Withdrawal ofGrants(Claim claim, Duration refused) {
		return of(claim.at(null), refused);
	}

	/**
	 * Give up a place in queues.
	 * @param keys the keys
	 * @param place the place
	 * @return the withdrawal
	 */
	public static Withdrawal of(List<String> keys, QueuePlace place) {
		return new Withdrawal(keys, null, Duration.ZERO, place, "", List.of(), List.of());
	}

	/**
	 * Withdraw what a node has granted a claim, whether it counts already or not.
	 * @param claim the claim
	 * @param granted what the node has granted
	 * @param agreed the keys with the tokens that a quorum agrees on; empty for none
	 * @return the withdrawal
	 */
	public static Withdrawal of(Claim claim, List<Grant> granted, List<Grant> agreed) {
		return new Withdrawal(claim.keys(), null, Duration.ZERO, null, claim.holder(), granted, agreed);
	}

	/**
	 * Withdraw a hold, also from a node that has not heard yet that its grant counts.
	 * @param hold the hold
	 * @return the withdrawal
	 */
	public static Withdrawal of(HoldId hold) {
		return new Withdrawal(hold.keys(), null, Duration.ZERO, null, hold.holder(), List.of(), hold.grants());
	}

	/**
	 * Return the name of the claim, or an empty string for none.
	 */
	String claimName() {
		return (this.claim != null) ? this.claim.name() : "";
	}

	/**
	 * Return what the claim is called as the holder of a shared lock, or an empty string.
	 */
	String sharer() {
		return (this.claim != null && this.claim.mode() == LockMode.SHARED) ? this.claim.holder() : "";
	}

	/**
	 * Return the name of the place, or an empty string for none.
	 */
	String placeId() {
		return (this.place != null) ? this.place.id() : "";
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
