package io.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Freed;
import io.holdfast.engine.LockStore.Gone;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Incomplete;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.NotHeld;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.RenewalOutcome;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.LockStore.Yielded;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.redis.LockKeys.Names;
import io.holdfast.redis.ReplicaAcks.UnconfirmedGrantException;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockClient.Purpose;
import io.holdfast.redis.connection.LockConnection;
import org.jspecify.annotations.Nullable;

/**
 * Locks whose keys are in one slot of one Redis: each operation is one Lua script.
 */
final class SlotLocks {

	/**
	 * Has times rounded up to milliseconds.
	 */
	private static final Duration ALMOST_A_MILLISECOND = Duration.ofNanos(999_999);

	private static final long WAITED_FOR = 2;

	private static final Duration CHECK_EXPIRES = Duration.ofSeconds(1);

	private static final NotAnswered MOVED = new NotAnswered(
			new LockStoreException("The slot of the lock is being moved", null, true));

	private final LockScript<Long> take = new LockScript<>("take.lua", Long.class::cast);

	private final LockScript<Boolean> free = new LockScript<>("free.lua", (reply) -> (Long) reply == 1);

	private final LockScript<List<?>> acquire = new LockScript<>("acquire.lua", (reply) -> (List<?>) reply);

	private final LockScript<Long> withdraw = new LockScript<>("withdraw.lua", Long.class::cast);

	private final LockScript<List<?>> transfer = new LockScript<>("transfer.lua", (reply) -> (List<?>) reply);

	private final LockScript<List<RenewalOutcome>> renew = new LockScript<>("renew.lua", SlotLocks::renewed);

	private final LockScript<Long> release = new LockScript<>("release.lua", Long.class::cast);

	private final LockScript<Boolean> keep = new LockScript<>("keep.lua", (reply) -> (Long) reply == 1);

	private final LockScript<Boolean> downgrade = new LockScript<>("downgrade.lua", (reply) -> (Long) reply == 1);

	private final LockScript<Long> check = new LockScript<>("check.lua", Long.class::cast);

	private final LockClient redis;

	private final LockKeys keys;

	private final Duration tokenRetention;

	private final ReplicaAcks replicaAcks;

	private final byte[] channelPrefix;

	SlotLocks(LockClient redis, LockKeys keys, Duration tokenRetention, ReplicaAcks replicaAcks) {
		this.redis = redis;
		this.keys = keys;
		this.tokenRetention = tokenRetention;
		this.replicaAcks = replicaAcks;
		this.channelPrefix = LockKeys.bytes(keys.channelPrefix());
	}

	/**
	 * Take one exclusive lock if it is uncontended.
	 */
	@Nullable Granted take(Claim claim) {
		Names names = this.keys.of(claim.keys().get(0));
		boolean general = claim.mode() != LockMode.EXCLUSIVE || claim.keys().size() > 1 || this.replicaAcks.isWanted();
		if (general || this.keys.isContended(names.key())) {
			return null;
		}
		ScriptCall call = ScriptCall.onKeys(names.key(), names.toTake())
			.with(claim.name(), claim.owner(), claim.lease(), remembered(claim));
		long token = this.take.run(this.redis, call, Purpose.ACQUIRE);
		this.keys.contended(names.key(), token == 0);
		return (token > 0) ? new Granted(claim.granted(List.of(new Grant(names.key(), token)))) : null;
	}

	Outcome acquire(Claim claim) {
		ScriptCall call = attempt(claim, claim.lease());
		if (this.replicaAcks.isWanted()) {
			return replicated(claim, call);
		}
		return this.acquire.run(this.redis, call, Purpose.ACQUIRE, (reply) -> outcome(claim, reply));
	}

	/**
	 * Acquire, and have replicas confirm it. Each next caller needs that as well.
	 */
	private Outcome replicated(Claim claim, ScriptCall call) {
		try {
			return askWithReplicas(call.lock(), (connection) -> {
				Outcome outcome = outcome(claim, this.acquire.question(call).apply(connection));
				if (outcome instanceof Granted granted) {
					this.replicaAcks.require(connection, granted.hold());
					return new Granted(granted.hold());
				}
				return outcome;
			});
		}
		catch (UnconfirmedGrantException ex) {
			return new Incomplete(ex.granted(), null, ex);
		}
	}

	private <T> T askWithReplicas(@Nullable String lock, Function<LockConnection, T> question) {
		if (this.redis.isCluster()) {
			throw new LockStoreException("A Cluster does not support holdfast.redis.replica-acks: unset it", null,
					false);
		}
		return this.redis.askAlone(lock, question);
	}

	ScriptCall attempt(Claim claim, Duration lease, Object... more) {
		QueuePlace place = claim.place();
		return ScriptCall.on(this.keys, claim.keys())
			.with(claim.name(), claim.holder(), claim.mode().name().toLowerCase(Locale.ROOT))
			.with(lease, remembered(claim), placeId(claim), (place != null) ? place.kept() : null)
			.with(claim.fair(), this.channelPrefix, claim.permits())
			.with(more)
			.with(claim.keys().toArray());
	}

	void check(byte[] key) {
		ScriptCall call = ScriptCall.onKeys(null, List.of(key))
			.with(CHECK_EXPIRES, this.keys.channelPrefix() + "nobody");
		if (this.replicaAcks.isWanted()) {
			askWithReplicas(null, (connection) -> {
				Long reply = this.check.question(call).apply(connection);
				this.replicaAcks.require(connection, null);
				return reply;
			});
		}
		else {
			this.check.run(this.redis, call);
		}
	}

	static Outcome outcome(Claim claim, List<?> reply) {
		if ((Long) reply.get(0) == 0) {
			String holder = text(reply.get(2));
			return new Denied((holder != null) ? Holder.ownerOf(holder) : null, Duration.ofMillis((Long) reply.get(1)),
					((Long) reply.get(3)).intValue(), ((Long) reply.get(4)).intValue());
		}
		return granted(claim, reply);
	}

	private static Granted granted(Claim claim, List<?> reply) {
		List<String> keys = claim.keys();
		List<Grant> grants = new ArrayList<>(keys.size());
		for (int i = 0; i < keys.size(); i++) {
			grants.add(new Grant(keys.get(i), (Long) reply.get(i)));
		}
		if (keys.size() == 1 && reply.size() == 3) {
			return new Granted(claim.granted(grants), (Long) reply.get(2), (Long) reply.get(1) > 0);
		}
		String holder = (reply.size() > keys.size()) ? text(reply.get(keys.size())) : claim.holder();
		return new Granted(new HoldId(String.valueOf(holder), List.copyOf(grants)));
	}

	/**
	 * Give a claim up: take away its places in queues, and what it was granted.
	 */
	void withdraw(Claim claim, Duration refused) {
		String sharer = (claim.mode() == LockMode.SHARED) ? claim.holder() : null;
		this.withdraw.run(this.redis,
				ScriptCall.on(this.keys, claim.keys())
					.with(claim.name(), sharer, refused, placeId(claim), this.channelPrefix)
					.with(claim.keys().toArray()),
				Purpose.REPEAT);
	}

	/**
	 * Hand a lock on, or free it if its next grant must be confirmed.
	 */
	Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		if (!this.replicaAcks.isWanted()) {
			return handOn(hold, successor, yield);
		}
		return release(hold, Purpose.HOLD) ? new Freed() : new NotHeld();
	}

	private static Transfer transferred(Claim successor, List<?> reply) {
		long token = (Long) reply.get(0);
		if (token > 0) {
			return granted(successor, reply);
		}
		return (token < 0) ? new Yielded() : new NotHeld();
	}

	private Transfer handOn(HoldId hold, Claim successor, boolean yield) {
		QueuePlace place = Objects.requireNonNull(successor.place());
		Grant grant = hold.grants().get(0);
		ScriptCall call = ScriptCall.on(this.keys, List.of(grant.key()))
			.with(hold.holder(), grant.token(), successor.owner(), successor.name())
			.with(successor.lease(), remembered(successor), yield, place.id(), place.kept())
			.with(this.channelPrefix, grant.key());
		return this.transfer.run(this.redis, call, Purpose.HOLD, (reply) -> transferred(successor, reply));
	}

	/**
	 * Renew holds, whatever their slots.
	 */
	List<RenewalOutcome> renew(List<Renewal> renewals) {
		List<Renewal> ofEachKey = renewals.stream()
			.flatMap((renewal) -> renewal.hold().grants().stream().map((grant) -> renewal.on(List.of(grant))))
			.toList();
		Iterator<RenewalOutcome> ofKeys = renewKeys(ofEachKey).iterator();
		List<RenewalOutcome> ofHolds = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			RenewalOutcome outcome = ofKeys.next();
			for (int i = 1; i < renewal.hold().grants().size(); i++) {
				outcome = outcome.and(ofKeys.next());
			}
			ofHolds.add(outcome);
		}
		return ofHolds;
	}

	/**
	 * Renew holds of one key each, on one server after the other: in one call, what is
	 * with the first that is left. A caller waits for no second server that does not
	 * answer.
	 */
	private List<RenewalOutcome> renewKeys(List<Renewal> renewals) {
		RenewalOutcome[] outcomes = new RenewalOutcome[renewals.size()];
		List<Integer> left = IntStream.range(0, outcomes.length).boxed().toList();
		while (!left.isEmpty()) {
			List<Integer> asked = left;
			Iterator<RenewalOutcome> answers = answers(asked.stream().map(renewals::get).toList()).iterator();
			asked.forEach((index) -> outcomes[index] = answers.next());
			left = asked.stream().skip(1).filter((index) -> outcomes[index] == MOVED).toList();
		}
		return List.of(outcomes);
	}

	private List<RenewalOutcome> answers(List<Renewal> renewals) {
		String first = renewals.get(0).hold().grants().get(0).key();
		ScriptCall call = ScriptCall.onKeys(first, List.of(this.keys.lock(first))).with(this.tokenRetention);
		for (Renewal renewal : renewals) {
			Grant grant = renewal.hold().grants().get(0);
			call.with(this.keys.lock(grant.key()), renewal.hold().holder(), grant.token(), renewal.lease())
				.with(renewal.holdCount(), renewal.passedTo());
		}
		try {
			return this.renew.run(this.redis, call, Purpose.HOLD);
		}
		catch (LockStoreException ex) {
			return Collections.nCopies(renewals.size(), new NotAnswered(ex));
		}
	}

	private static List<RenewalOutcome> renewed(Object reply) {
		return ((List<?>) reply).stream().map((millis) -> renewed((long) (Long) millis)).toList();
	}

	private static RenewalOutcome renewed(long millis) {
		if (millis < 0) {
			return MOVED;
		}
		return (millis > 0) ? new Renewed(Duration.ofMillis(millis)) : new Gone();
	}

	boolean release(HoldId hold, Purpose purpose) {
		try {
			long result = this.release.run(this.redis, callOn(hold, this.channelPrefix), purpose);
			hold.grants().forEach((grant) -> this.keys.contended(grant.key(), result == WAITED_FOR));
			return result > 0;
		}
		catch (LockStoreException ex) {
			if (LockScript.isMoving(ex)
					&& hold.grants().stream().allMatch((grant) -> free(hold, grant, true, purpose))) {
				return true;
			}
			throw ex;
		}
	}

	/**
	 * Free one exclusive lock if it is uncontended. The name of a holder that shares has
	 * its claim at the end.
	 */
	boolean free(HoldId hold) {
		Grant grant = hold.grants().get(0);
		boolean shared = !hold.holder().equals(hold.owner());
		if (shared || hold.grants().size() > 1 || this.keys.isContended(grant.key())) {
			return false;
		}
		return free(hold, grant, false, Purpose.HOLD);
	}

	private boolean free(HoldId hold, Grant grant, boolean waitedFor, Purpose purpose) {
		return this.free.run(this.redis, ScriptCall.onKeys(grant.key(), List.of(this.keys.of(grant.key()).lock()))
			.with(hold.holder(), grant.token(), waitedFor), purpose);
	}

	boolean keep(HoldId hold, Duration rest, Purpose purpose) {
		return this.keep.run(this.redis,
				callOn(hold, rest.plus(ALMOST_A_MILLISECOND), this.tokenRetention, this.channelPrefix), purpose);
	}

	/**
	 * Have a hold share its lock from now on.
	 */
	boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return this.downgrade.run(this.redis, callOn(hold, holdCount, passedTo, this.channelPrefix), Purpose.HOLD);
	}

	private ScriptCall callOn(HoldId hold, @Nullable Object... arguments) {
		ScriptCall call = ScriptCall.on(this.keys, hold.keys()).with(hold.holder()).with(arguments);
		hold.grants().forEach((grant) -> call.with(grant.token(), grant.key()));
		return call;
	}

	/**
	 * Return how long the last token of a key is remembered when the lock has just been
	 * granted.
	 */
	private Duration remembered(Claim claim) {
		return claim.lease().plus(this.tokenRetention);
	}

	private static @Nullable String placeId(Claim claim) {
		return (claim.place() != null) ? claim.place().id() : null;
	}

	private static @Nullable String text(Object reply) {
		byte[] bytes = (byte[]) reply;
		return (bytes.length > 0) ? new String(bytes, StandardCharsets.UTF_8) : null;
	}

}
