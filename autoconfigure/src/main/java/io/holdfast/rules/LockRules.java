package io.holdfast.rules;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Gone;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.NotHeld;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.LockStore.Yielded;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.ForcedRelease;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.rules.LockState.Place;
import io.holdfast.rules.LockState.Share;
import org.jspecify.annotations.Nullable;

/**
 * Applies a request to the states of its locks. Made of values, and read as values once
 * the request is answered: nothing else is changed. A store calls it in one step with
 * reading the states and writing them back, and sends the wake-ups after that.
 *
 * <p>
 * Each request does what the script of its name does in Redis.
 *
 * @since 0.1.0
 */
public final class LockRules {

	// How many more tokens a waiter gets, to pass the lock on with
	static final int RESERVED_TOKENS = 63;

	private static final Duration RELEASE_REMEMBERED = Duration.ofSeconds(10);

	private final Locks locks;

	/**
	 * Create the rules for one request.
	 * @param states the state of each of its locks
	 * @param now the time of the store's clock, in nanoseconds
	 * @param leastToken what a new token is at least: the time in microseconds
	 */
	public LockRules(Map<String, LockState> states, long now, long leastToken) {
		this.locks = new Locks(states, now, leastToken);
	}

	/**
	 * Return the states after the request.
	 * @return the state of each lock
	 */
	public Map<String, LockState> states() {
		return Map.copyOf(this.locks.states());
	}

	/**
	 * Return who is to be told of the request.
	 * @return the messages, in order
	 */
	public List<WakeUp> wakeUps() {
		return List.copyOf(this.locks.wakeUps());
	}

	/**
	 * See {@link io.holdfast.engine.LockStore#acquire}.
	 * @param claim the claim
	 * @return what became of it
	 */
	public Outcome acquire(Claim claim) {
		return new Attempt(this.locks, claim).run();
	}

	/**
	 * See {@link io.holdfast.engine.LockStore#transfer}.
	 * @param hold the hold
	 * @param successor the claim of the owner that gets the lock
	 * @param yield whether a waiter in the queue goes first
	 * @return what became of the lock
	 */
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		Grant grant = hold.grants().get(0);
		LockState lock = this.locks.get(grant.key());
		if (lock.held(hold.holder(), grant.token()) == null) {
			return transferred(grant, successor, lock);
		}
		QueuePlace place = Objects.requireNonNull(successor.place());
		LockState freed = lock.takeAway(hold.holder()).giveUpPlace(place);
		if (freed.hasWaiters() && (yield || freed.hasFairWaiters())) {
			this.locks.put(grant.key(), freed.keepPlace(successor, place, this.locks.now()));
			this.locks.wakeFront(grant.key(), false);
			return new Yielded();
		}
		this.locks.put(grant.key(), freed);
		Share share = new Share(successor.holder(), successor.name(),
				this.locks.nextTokens(grant.key(), grant.token(), RESERVED_TOKENS), this.locks.after(successor.lease()),
				true);
		LockState granted = this.locks.get(grant.key()).grant(successor.mode(), successor.permits(), share);
		this.locks.put(grant.key(), granted);
		return granted(grant.key(), share, granted.lastToken(), granted);
	}

	// What an earlier transfer has granted the successor, if there was one
	private static Transfer transferred(Grant grant, Claim successor, LockState lock) {
		Share share = lock.granted(successor);
		return (share != null && share.token() > grant.token() && share.holder().equals(successor.holder()))
				? granted(grant.key(), share, share.token(), lock) : new NotHeld();
	}

	private static Granted granted(String key, Share share, long lastToken, LockState lock) {
		return new Granted(new HoldId(key, share.holder(), share.token()), lastToken, lock.hasWaiters());
	}

	/**
	 * Renew one hold.
	 * @param renewal the hold, and for how long
	 * @return what became of it
	 */
	public RenewalOutcome renew(Renewal renewal) {
		return renewal.hold()
			.grants()
			.stream()
			.map((grant) -> renew(renewal, grant))
			.reduce(RenewalOutcome::and)
			.orElseThrow();
	}

	private RenewalOutcome renew(Renewal renewal, Grant grant) {
		LockState lock = this.locks.get(grant.key());
		Share share = lock.held(renewal.hold().holder(), grant.token());
		if (share == null) {
			return new Gone();
		}
		int count = Objects.requireNonNullElse(renewal.holdCount(), share.count());
		boolean passed = renewal.passedTo() != null && !lock.isShared();
		Share renewed = share.lasting(this.locks.after(renewal.lease()))
			.counting(count, passed ? renewal.passedTo() : share.passedTo());
		this.locks.put(grant.key(), lock.replace(renewed));
		return new Renewed(Duration.ofNanos(renewed.ends() - this.locks.now()));
	}

	/**
	 * See {@link io.holdfast.engine.LockStore#release}. Can be repeated for some seconds,
	 * until another holder has released the lock.
	 * @param hold the hold
	 * @return whether all of it was held until now
	 */
	public boolean release(HoldId hold) {
		return all(hold, (key, token) -> {
			LockState lock = this.locks.get(key);
			boolean held = lock.held(hold.holder(), token) != null;
			if (held) {
				lock = lock.takeAway(hold.holder())
					.rememberRelease(new Share(hold.holder(), "", token, this.locks.after(RELEASE_REMEMBERED), false));
				this.locks.put(key, lock);
			}
			this.locks.wakeFront(key, held && lock.isShared());
			return lock.wasReleased(hold.holder(), token);
		});
	}

	/**
	 * See {@link io.holdfast.engine.LockStore#keep}. Kept locks stay as they are.
	 * @param hold the hold
	 * @param rest how long its locks stay taken
	 * @return whether all of it was held until now, or was kept before
	 */
	public boolean keep(HoldId hold, Duration rest) {
		String keeper = hold.holder() + StoreView.KEPT;
		return all(hold, (key, token) -> {
			LockState lock = this.locks.get(key);
			boolean held = lock.held(hold.holder(), token) != null;
			if (held) {
				this.locks.put(key, lock.takeAway(hold.holder())
					.replace(new Share(keeper, "", token, this.locks.after(rest), false)));
			}
			this.locks.wakeFirst(key);
			return held || lock.held(keeper, token) != null;
		});
	}

	/**
	 * See {@link io.holdfast.engine.LockStore#downgrade}.
	 * @param hold the hold
	 * @param holdCount the count that is left
	 * @param passedTo who holds it in place of its owner, or {@code null}
	 * @return whether all of it is held
	 */
	public boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return all(hold, (key, token) -> {
			LockState lock = this.locks.get(key);
			Share share = lock.held(hold.holder(), token);
			if (share != null && !lock.isShared()) {
				Share shared = new Share(share.holder(), "", token, holdCount, share.ends(), false, passedTo);
				this.locks.put(key, lock.grant(LockMode.SHARED, 0, shared));
				this.locks.wakeFront(key, false);
			}
			return share != null;
		});
	}

	private static boolean all(HoldId hold, BiPredicate<String, Long> change) {
		boolean all = true;
		for (Grant grant : hold.grants()) {
			all &= change.test(grant.key(), grant.token());
		}
		return all;
	}

	/**
	 * See {@link io.holdfast.engine.LockStore#withdraw}.
	 * @param claim the claim
	 * @param refused how long to deny late requests of it
	 */
	public void withdraw(Claim claim, Duration refused) {
		for (String key : claim.keys()) {
			LockState lock = this.locks.get(key);
			Share granted = lock.granted(claim);
			LockState left = ((granted != null) ? lock.takeAway(granted.holder()) : lock).giveUpPlace(claim.place());
			boolean late = refused.compareTo(Duration.ZERO) > 0;
			this.locks.put(key, late ? left.refuse(claim, this.locks.after(refused)) : left);
			if (granted != null || claim.place() != null) {
				this.locks.wakeFront(key, granted != null && lock.isShared());
			}
		}
	}

	/**
	 * See {@link StoreView#forceRelease}.
	 * @param key the key
	 * @param token the token of the only hold to release, or {@code null} for all
	 * @return what was released
	 */
	public ForcedRelease forceRelease(String key, @Nullable Long token) {
		LockState lock = this.locks.get(key);
		Predicate<Share> wanted = (share) -> token == null || token == share.token();
		List<Holder> released = holders(lock.shares().stream().filter(wanted));
		if (!released.isEmpty()) {
			this.locks.put(key, lock.takeAway(wanted));
			this.locks.wakeFront(key, false);
		}
		released.stream()
			.filter((holder) -> !holder.kept())
			.forEach((holder) -> this.locks
				.tell(new WakeUp(WakeUp.Kind.FORCE_RELEASED, key, holder.owner(), holder.token())));
		return new ForcedRelease(stateOf(key, lock), released);
	}

	/**
	 * See {@link StoreView#look}.
	 * @param key the key
	 * @return what operators see of it
	 */
	public KeyState look(String key) {
		return stateOf(key, this.locks.get(key));
	}

	private KeyState stateOf(String key, LockState lock) {
		List<Holder> holders = holders(lock.shares().stream().limit(StoreView.MOST));
		return new KeyState(key, lock.isHeld() ? lock.mode() : null, lock.isHeld() ? lock.permits() : 0, holders,
				lock.shares().size(), lock.queue().stream().limit(StoreView.MOST).map(Place::id).toList(),
				lock.queue().size(), null);
	}

	private List<Holder> holders(Stream<Share> shares) {
		return shares.map((share) -> share.seen(this.locks.now())).toList();
	}

}
