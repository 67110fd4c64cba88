package io.holdfast.differential;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

import io.holdfast.LockMode;
import io.holdfast.differential.NamedHold.NamedGrant;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.PlaceName;
import org.jspecify.annotations.Nullable;

/**
 * A random sequence of calls of a few owners about a few keys. How often each kind of
 * call comes differs from sequence to sequence.
 */
final class RandomCalls implements Iterator<Call> {

	static final List<String> KEYS = List.of("x", "y", "z");

	private static final int THREADS = 3;

	private static final int CALLS = 100;

	/**
	 * One of so many sequences has more of those who share, and of those who wait, than a
	 * store tells of.
	 */
	private static final int CROWDED = 100;

	private static final int MOST_CALLS = 600;

	private final Random random;

	private final Tokens tokens;

	private final List<Supplier<@Nullable Call>> kinds = new ArrayList<>();

	private final int sharing;

	private final int several;

	private final int repeated;

	private final Map<String, Claim> wanted = new HashMap<>();

	private final List<Claim> claims = new ArrayList<>();

	private final Set<NamedGrant> downgraded = new HashSet<>();

	private final Set<String> kept = new HashSet<>();

	private long lastNumber;

	private int left;

	/**
	 * Create a sequence.
	 * @param random says what comes
	 * @param tokens what has been granted to those before
	 */
	RandomCalls(Random random, Tokens tokens) {
		this.random = random;
		this.tokens = tokens;
		boolean crowd = oneIn(CROWDED);
		this.left = crowd ? MOST_CALLS : CALLS;
		this.sharing = crowd ? 100 - this.random.nextInt(3) : this.random.nextInt(101);
		this.several = this.random.nextInt(101);
		this.repeated = this.random.nextInt(31);
		add(this::attempt, crowd ? 200 : 1, 12);
		add(this::late, 0, 4);
		add(this::count, 0, 5);
		add(this::renew, 0, 4);
		add(this::release, 1, 8);
		add(this::keep, 0, 2);
		add(this::downgrade, 0, 3);
		add(this::handOn, 0, 8);
		add(this::withdraw, 0, 6);
		add(this::look, 0, 4);
		add(Call::findHeld, 0, 2);
		add(this::forceRelease, 0, 1);
		add(this::pass, 0, 2);
		add(this::setClockBack, 0, 1);
		add(this::cleanUp, 0, 1);
	}

	private void add(Supplier<@Nullable Call> kind, int least, int most) {
		int times = (least < most) ? this.random.nextInt(least, most + 1) : least;
		this.kinds.addAll(Collections.nCopies(times, kind));
	}

	@Override
	public boolean hasNext() {
		return this.left > 0;
	}

	@Override
	public Call next() {
		this.left--;
		if (this.left == 0) {
			return Call.look(KEYS);
		}
		Call call = Objects.requireNonNullElseGet(any(this.kinds).get(), this::attempt);
		return (this.random.nextInt(100) < this.repeated) ? call.twice() : call;
	}

	private Call attempt() {
		String owner = owner(any(Side.INSTANCES));
		Claim present = this.wanted.get(owner);
		boolean again = present != null && !this.kept.contains(present.holder()) && !oneIn(3);
		return claim(again ? again(present) : fresh(owner));
	}

	private Call claim(Claim claim) {
		this.wanted.put(claim.owner(), claim);
		this.claims.add(claim);
		return Call.acquire(claim);
	}

	/**
	 * Another owner of the same instance may go on with a claim to the exclusive lock of
	 * one key.
	 */
	private Claim again(Claim claim) {
		boolean plain = claim.mode() == LockMode.EXCLUSIVE && claim.keys().size() == 1;
		String owner = (!plain || oneIn(2)) ? claim.owner() : owner(claim.owner().substring(0, 1));
		return new Claim(claim.keys(), owner, claim.number(), claim.mode(), claim.permits(), claim.fair(), time(),
				claim.place());
	}

	private Claim fresh(String owner) {
		LockMode mode = (this.random.nextInt(100) < this.sharing) ? LockMode.SHARED : LockMode.EXCLUSIVE;
		return fresh(owner, keys(), mode, oneIn(3), oneIn(4));
	}

	private Claim fresh(String owner, List<String> keys, LockMode mode, boolean fair, boolean waiting) {
		long number = ++this.lastNumber;
		int permits = (mode == LockMode.SHARED && oneIn(2)) ? 1 + this.random.nextInt(3) : 0;
		PlaceName place = new PlaceName(owner, number, mode, permits);
		return new Claim(keys, owner, number, mode, permits, fair && keys.size() == 1, time(),
				waiting ? null : new QueuePlace(place.toString(), timeOfPlace()));
	}

	/**
	 * A claim that is repeated, or arrives after later ones, though not after all that
	 * became of its grant: nobody keeps a share twice.
	 */
	private @Nullable Call late() {
		Claim claim = recent(this.claims);
		return (claim != null && !this.kept.contains(claim.holder())) ? Call.acquire(claim) : null;
	}

	private @Nullable Call count() {
		NamedHold hold = hold();
		Duration lease = oneIn(2) ? Duration.ZERO : time();
		return (hold != null) ? Call.renew(List.of(hold), lease, 1 + this.random.nextInt(3), null) : null;
	}

	private @Nullable Call renew() {
		List<NamedHold> holds = new ArrayList<>();
		for (NamedHold hold = hold(); hold != null && !oneIn(3); hold = hold()) {
			holds.add(hold);
		}
		if (holds.isEmpty()) {
			return null;
		}
		String instance = holds.get(0).holder().substring(0, 1);
		return Call.renew(holds, time(), oneIn(4) ? 1 + this.random.nextInt(3) : null,
				oneIn(3) ? owner(instance) : null);
	}

	private @Nullable Call release() {
		NamedHold hold = hold();
		return (hold != null) ? Call.release(hold) : null;
	}

	private @Nullable Call keep() {
		NamedHold hold = hold();
		if (hold == null) {
			return null;
		}
		if (isShared(hold)) {
			this.kept.add(hold.holder());
		}
		return Call.keep(hold, time());
	}

	private @Nullable Call downgrade() {
		NamedHold hold = hold();
		if (hold == null) {
			return null;
		}
		this.downgraded.addAll(hold.grants());
		return Call.downgrade(hold, 1 + this.random.nextInt(2), oneIn(2) ? owner(hold.holder().substring(0, 1)) : null);
	}

	/**
	 * Only what is exclusive is handed on, to somebody of the same instance who wants it
	 * like that and does not have it.
	 */
	private @Nullable Call handOn() {
		NamedHold hold = hold();
		if (hold == null || hold.grants().size() > 1 || isShared(hold)
				|| this.downgraded.contains(hold.grants().get(0))) {
			return null;
		}
		String instance = hold.holder().substring(0, 1);
		String successor = owner(instance);
		if (successor.equals(hold.holder())) {
			return null;
		}
		Claim fresh = fresh(successor, hold.grants().stream().map(NamedGrant::key).toList(), LockMode.EXCLUSIVE, false,
				false);
		Claim present = this.wanted.get(hold.holder());
		boolean goesOn = present != null && present.mode() == fresh.mode() && present.keys().equals(fresh.keys());
		Claim claim = (goesOn && !oneIn(4)) ? fresh.as(present.number()) : fresh;
		claim(claim);
		return Call.handOn(hold, claim, oneIn(3));
	}

	/**
	 * A claim that is given up: as often as not one that was granted. Now and then of one
	 * key only, and refused from now on.
	 */
	private @Nullable Call withdraw() {
		Claim claim = recent(oneIn(2) ? this.claims : this.tokens.claims());
		if (claim == null) {
			return null;
		}
		return Call.withdraw(oneIn(2) ? claim : claim.on(List.of(any(claim.keys()))),
				oneIn(2) ? Duration.ZERO : time());
	}

	private Call look() {
		return Call.look(keys());
	}

	private Call forceRelease() {
		NamedHold hold = hold();
		NamedGrant only = (hold != null) ? any(hold.grants()) : null;
		return (only == null || oneIn(2)) ? Call.forceRelease(any(KEYS), null) : Call.forceRelease(only.key(), only);
	}

	private Call pass() {
		return Call.pass(1 + this.random.nextInt(3));
	}

	private Call setClockBack() {
		return Call.setClockBack(any(KEYS));
	}

	private Call cleanUp() {
		return Call.cleanUp(1 + this.random.nextInt(7));
	}

	/**
	 * Return a hold that was granted lately. Now and then it is somebody else's, or has
	 * another token.
	 */
	private @Nullable NamedHold hold() {
		NamedHold hold = recent(this.tokens.holds());
		NamedHold other = recent(this.tokens.holds());
		if (hold == null || other == null || !oneIn(10)) {
			return hold;
		}
		return oneIn(2) ? new NamedHold(other.holder(), hold.grants()) : new NamedHold(hold.holder(), other.grants());
	}

	private static boolean isShared(NamedHold hold) {
		return hold.holder().contains("#");
	}

	private String owner(String instance) {
		return instance + ":" + this.random.nextInt(THREADS);
	}

	private List<String> keys() {
		List<String> keys = new ArrayList<>(KEYS);
		Collections.shuffle(keys, this.random);
		int more = (this.random.nextInt(100) < this.several) ? 1 + this.random.nextInt(KEYS.size() - 1) : 0;
		return List.copyOf(keys.subList(0, 1 + more));
	}

	private Duration time() {
		return Duration.ofHours(this.random.nextInt(6)).plusMinutes(30);
	}

	private Duration timeOfPlace() {
		return Duration.ofHours(this.random.nextInt(6)).plusMinutes(3);
	}

	private boolean oneIn(int times) {
		return this.random.nextInt(times) == 0;
	}

	private <T> T any(List<T> all) {
		return all.get(this.random.nextInt(all.size()));
	}

	private <T> @Nullable T recent(List<T> all) {
		int back = 0;
		while (back < all.size() - 1 && oneIn(2)) {
			back++;
		}
		return all.isEmpty() ? null : all.get(all.size() - 1 - back);
	}

}
