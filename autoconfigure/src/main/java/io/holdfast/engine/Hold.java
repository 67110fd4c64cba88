package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockSnapshot;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import org.jspecify.annotations.Nullable;

/**
 * A lock that an owner in this instance was granted, from the grant to its end. Knows
 * nothing of the store: what others find out there, they book here.
 *
 * <pre class="code">
 * HELD --startRelease()--&gt; RELEASING --pass()--&gt; PASSED
 *   |                          |
 *   +--lose()------------------+--bookLoss()-&gt; LOST
 * </pre>
 *
 * A loss found by others than the releasing thread counts only while {@code HELD}: a
 * renewal that crosses a release finds nothing in the store and must not be told.
 */
final class Hold implements EngineListener.HeldLock {

	enum State {

		HELD, RELEASING, PASSED, LOST

	}

	// How long a passed-on lock is not named in the store
	static final Duration UNNAMED = Duration.ofSeconds(1);

	private final OwnGrant grant;

	private final long token;

	private final List<OwnedKey> ownedKeys;

	private final Terms terms;

	private final Owner owner;

	private final Grantor grantor;

	private final AtomicReference<@Nullable OwnClaim> claim;

	private final RequestContext context;

	private final MonotonicClock clock;

	private final Instant since = Instant.now();

	private final long grantedAt;

	// Held while the count changes, here and in the store
	private final Lock counting;

	private final Entries entries;

	private State state = State.HELD;

	private boolean grantTaken;

	private @Nullable LockLostException loss;

	private boolean interrupting;

	private volatile @Nullable Throwable renewalFailure;

	private volatile Background.@Nullable Task watch;

	Hold(OwnGrant grant, Terms terms, Owner owner, RequestContext context, Grantor grantor, OwnClaim claim,
			EngineRuntime runtime) {
		this.grant = grant;
		this.token = grant.token();
		this.ownedKeys = (terms.keys().size() == 1) ? List.of(new OwnedKey(terms.keys().get(0), owner.id()))
				: terms.keys().stream().map((key) -> new OwnedKey(key, owner.id())).toList();
		this.terms = terms;
		this.owner = owner;
		this.grantor = grantor;
		this.claim = new AtomicReference<>(claim);
		this.context = context;
		this.clock = runtime;
		this.counting = runtime.newLock();
		this.grantedAt = runtime.nanos();
		this.entries = new Entries(terms.mode(), owner.thread(), this.grantedAt);
	}

	@Override
	public HoldId id() {
		return isPassedOn() ? new HoldId(this.owner.id(), List.of(new Grant(this.terms.keys().get(0), this.token)))
				: this.grant.id();
	}

	// By another hold of the same grant
	boolean isPassedOn() {
		return !this.owner.id().equals(this.grant.id().owner())
				|| this.token != this.grant.id().grants().get(0).token();
	}

	// Returns null if the store knows the holder, or need not know it any more
	synchronized @Nullable String nameForStore() {
		return (isPassedOn() && this.state == State.HELD) ? this.owner.id() : null;
	}

	OwnGrant grant() {
		return this.grant;
	}

	List<OwnedKey> ownedKeys() {
		return this.ownedKeys;
	}

	Owner owner() {
		return this.owner;
	}

	synchronized String holderName(@Nullable Owner asking) {
		return this.owner.describe(asking)
				+ (this.entries.endWithTransaction() ? ", until its transaction has completed" : "");
	}

	// Whether its user is the thread that stops the engine, or one in System.exit
	boolean waitsForShutdown() {
		Thread thread = this.entries.user();
		return thread != null && (thread == Thread.currentThread() || Stream.of(thread.getStackTrace())
			.anyMatch((frame) -> frame.getClassName().equals("java.lang.Shutdown")));
	}

	Terms terms() {
		return this.terms;
	}

	// In which requests about it are made, by any thread
	RequestContext context() {
		return this.context;
	}

	Grantor grantor() {
		return this.grantor;
	}

	// The caller must end it, or continue with it without this hold
	@Nullable OwnClaim takeClaim() {
		return this.claim.getAndSet(null);
	}

	boolean hasClaim() {
		return this.claim.get() != null;
	}

	// The store may still know the hold that handed it on instead
	void doubtClaim() {
		OwnClaim present = this.claim.get();
		if (present != null) {
			present.doubt();
		}
	}

	// A hold that the store did not have may have been withdrawn with its claim, when the
	// lease ran out during the release
	ReleaseResult releaseResult(boolean held) {
		if (held) {
			return ReleaseResult.RELEASED;
		}
		return (this.claim.get() != null) ? ReleaseResult.LOST : ReleaseResult.PENDING;
	}

	@Override
	public synchronized LockMode mode() {
		return this.entries.mode();
	}

	synchronized boolean downgrade(Entry leaving) {
		return this.entries.downgrade(leaving, this.clock.nanos());
	}

	synchronized boolean isDowngraded() {
		return this.entries.mode() != this.terms.mode();
	}

	// Of its first key
	long token() {
		return this.token;
	}

	long token(String key) {
		return id().grants()
			.stream()
			.filter((grant) -> grant.key().equals(key))
			.findFirst()
			.map(Grant::token)
			.orElseThrow();
	}

	Lease lease() {
		return this.grant.lease();
	}

	Lock counting() {
		return this.counting;
	}

	// Until when the store may have it unless it is released
	long mayLastUntil() {
		return MonotonicClock.later(lease().latestEnd(),
				this.clock.nanos() + MonotonicClock.toNanos(this.terms.lease()));
	}

	Duration heldFor() {
		return Duration.ofNanos(this.clock.nanos() - this.grantedAt);
	}

	synchronized Duration keptFor() {
		return Duration.ofNanos(Math.max(0, this.entries.keptUntil() - this.clock.nanos()));
	}

	synchronized boolean isHeld() {
		return this.state == State.HELD && !lease().isOver();
	}

	// Regardless of the clock
	@Override
	public synchronized boolean isOpen() {
		return this.state == State.HELD;
	}

	// A caller relies on a lost hold as well
	synchronized boolean isReliedOn() {
		return !this.entries.isEmpty();
	}

	// A reader within a writer does not count. There is at least one, while minHold keeps
	// it exclusive for a reader
	synchronized int count() {
		return (isOpen() && isReliedOn()) ? Math.max(1, count(this.entries.mode())) : 0;
	}

	synchronized int count(LockMode counted) {
		return isOpen() ? this.entries.count(counted, null) : 0;
	}

	synchronized int countWith(LockMode added) {
		return Math.max(1, this.entries.count(this.entries.mode(), null) + ((added == this.entries.mode()) ? 1 : 0));
	}

	synchronized int countWithout(Entry leaving) {
		return Math.max(1, this.entries.count(this.entries.mode(), leaving));
	}

	synchronized boolean isLastEntry() {
		return this.entries.all().size() <= 1;
	}

	Entries entries() {
		return this.entries;
	}

	synchronized List<Entry> openEntries() {
		return this.entries.all();
	}

	long now() {
		return this.clock.nanos();
	}

	synchronized void open(Entry entry) {
		this.entries.open(entry);
	}

	synchronized void close(Entry entry) {
		this.entries.close(entry);
		if (this.interrupting && !isReliedOn() && this.owner.thread() == Thread.currentThread()) {
			this.interrupting = false;
			Thread.interrupted(); // meant for the sections, of which the last has ended
		}
	}

	// Its entries stay, so that a check before a commit finds the loss
	synchronized void endInShutdown(ReleaseResult result) {
		this.entries.all().forEach((entry) -> entry.result(result));
		if (this.state != State.LOST) {
			bookLoss(new LockLostException(this.terms.keysText(), "its own section has ended the application", null));
		}
	}

	synchronized boolean isReleasing() {
		return this.state == State.RELEASING || this.state == State.PASSED;
	}

	synchronized boolean startRelease() {
		if (this.state == State.HELD) {
			this.state = State.RELEASING;
		}
		return isReleasing();
	}

	synchronized boolean pass() {
		if (this.state != State.RELEASING || this.grantTaken) {
			return false;
		}
		takeClaim();
		this.state = State.PASSED;
		return true;
	}

	synchronized boolean hasPassed() {
		return this.state == State.PASSED;
	}

	// Ends it in another way than by a release, unless it was passed on
	void endGrant(Consumer<HoldId> end) {
		if (takeGrant()) {
			this.context.run(() -> end.accept(this.grant.id()));
		}
	}

	// From then on it is not passed
	private synchronized boolean takeGrant() {
		this.grantTaken = true;
		return this.state != State.PASSED;
	}

	synchronized void abandon() {
		this.entries.clear();
		startRelease();
	}

	// For a loss that was not found by the releasing thread. Returns whom to notify, or
	// null if it is being released, or was lost before
	synchronized @Nullable List<Runnable> lose(LockLostException loss, boolean interrupt) {
		if (this.state != State.HELD) {
			return null;
		}
		List<Runnable> listeners = bookLoss(loss);
		if (interrupt && this.owner.thread() != null) {
			this.interrupting = true;
			this.owner.thread().interrupt();
		}
		return listeners;
	}

	// Also for a loss that the releasing thread itself has found
	synchronized List<Runnable> bookLoss(LockLostException loss) {
		List<Runnable> listeners = this.entries.lossListeners();
		this.loss = loss;
		this.state = State.LOST;
		return listeners;
	}

	synchronized @Nullable LockLostException loss() {
		return this.loss;
	}

	// Register for the loss, until a handle is released
	synchronized boolean onLoss(Entry entry, Runnable listener) {
		if (this.state == State.LOST) {
			return false;
		}
		this.entries.onLoss(entry, listener);
		return true;
	}

	// The longest that any of its handles still wants
	synchronized @Nullable Duration wantedLease() {
		boolean ended = this.state != State.HELD || this.owner.isDead();
		return ended ? null : this.entries.wantedLease(this.clock.nanos());
	}

	@Nullable Throwable renewalFailure() {
		return this.renewalFailure;
	}

	void renewalFailure(@Nullable Throwable failure) {
		this.renewalFailure = failure;
	}

	Background.@Nullable Task watch() {
		return this.watch;
	}

	void watch(Background.@Nullable Task watch) {
		this.watch = watch;
	}

	@Override
	public LockSnapshot snapshot() {
		return snapshot(count());
	}

	LockSnapshot snapshot(int holdCount) {
		return new LockSnapshot(this.terms.keys(), this.terms.name(), mode(), this.owner.id(), this.owner.threadName(),
				this.since, lease().remaining(), holdCount, this.token);
	}

	record OwnedKey(String key, String ownerId) {
	}

	/**
	 * Where a hold comes from, and what becomes of its grant.
	 */
	interface Grantor {

		ReleaseResult release(Hold hold, Supplier<ReleaseResult> releaseInStore);

		void detach(Hold hold);

		void end(Hold hold);

		boolean isWaitedFor();

	}

}
