package io.holdfast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.util.Assert;

/**
 * A lock that was acquired in a transaction: a release takes effect when the transaction
 * has completed. Otherwise the next holder could miss what was written under the lock.
 */
final class TransactionBoundHandle implements LockHandle, TransactionSynchronization {

	private enum Stage {

		// The transaction is running, and the handle is in use
		OPEN,

		// The handle was released while the lock was held
		GIVEN_UP,

		// The handle was released after the lock had been lost
		LOST,

		// The transaction has completed before the handle was released, or does not
		// affect it
		FREE

	}

	private final LockHandle lock;

	private final LockRequest request;

	private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.OPEN);

	TransactionBoundHandle(LockHandle lock, LockRequest request) {
		this.lock = lock;
		this.request = request;
		lock.noteTransaction();
	}

	// Bind a lock to the transaction of this thread, if it is in one. A nested
	// acquisition need not be bound too if a bound one keeps the lock in the same way
	static LockHandle bind(LockHandle acquired, LockRequest request) {
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.isSynchronizationActive()) {
			return acquired;
		}
		try {
			BoundLocks locks = BoundLocks.ofCurrentTransaction();
			if (locks.keeps(acquired, request)) {
				return acquired;
			}
			TransactionBoundHandle bound = new TransactionBoundHandle(acquired, request);
			locks.add(bound);
			return bound;
		}
		catch (RuntimeException | Error ex) {
			acquired.giveBack();
			throw ex;
		}
	}

	// Until the transaction has completed
	private boolean keeps(LockHandle acquired, LockRequest other) {
		return isGivenUp() && this.lock.isHeld() && holds(acquired) && isRenewedAs(other);
	}

	// Equal tokens mean that it is the same hold
	private boolean holds(LockHandle acquired) {
		return (mode() == LockMode.EXCLUSIVE || acquired.mode() == LockMode.SHARED)
				&& keys().containsAll(acquired.keys())
				&& acquired.keys().stream().allMatch((key) -> fencingToken(key) == acquired.fencingToken(key));
	}

	private boolean isRenewedAs(LockRequest other) {
		return Objects.equals(this.request.lease(), other.lease())
				&& Objects.equals(this.request.autoRenew(), other.autoRenew())
				&& Objects.equals(this.request.maxHold(), other.maxHold());
	}

	@Override
	public List<String> keys() {
		return this.lock.keys();
	}

	@Override
	public LockMode mode() {
		return this.lock.mode();
	}

	@Override
	public int holdCount() {
		return this.lock.holdCount();
	}

	@Override
	public long fencingToken() {
		return this.lock.fencingToken();
	}

	@Override
	public long fencingToken(String key) {
		return this.lock.fencingToken(key);
	}

	@Override
	public boolean isHeld() {
		return !isGivenUp() && this.lock.isHeld();
	}

	@Override
	public Duration remainingLease() {
		return isGivenUp() ? Duration.ZERO : this.lock.remainingLease();
	}

	@Override
	public void ensureHeld() {
		if (isGivenUp()) {
			throw new LockLostException(LogText.keys(keys()), null, null);
		}
		this.lock.ensureHeld();
	}

	@Override
	public boolean extend(Duration lease) {
		LockRequest.requireValidLease(lease);
		return !isGivenUp() && this.lock.extend(lease);
	}

	@Override
	public void onLost(Consumer<LockHandle> listener) {
		Assert.notNull(listener, "'listener' must not be null");
		if (!isGivenUp()) {
			this.lock.onLost((lost) -> {
				if (!isGivenUp()) {
					listener.accept(this);
				}
			});
		}
	}

	// A loss is reported at once, while the transaction can still be rolled back. The
	// lost lock is still released only at the end: until then the thread counts as its
	// holder, so the transaction cannot commit even if the caller ignores the result
	@Override
	public ReleaseResult release() {
		ReleaseResult result = giveUp();
		return (result != null) ? result : this.lock.release();
	}

	@Override
	public CompletableFuture<ReleaseResult> releaseAsync() {
		ReleaseResult result = giveUp();
		return (result != null) ? CompletableFuture.completedFuture(result) : this.lock.releaseAsync();
	}

	// Returns null if the lock need not be kept for the transaction
	private @Nullable ReleaseResult giveUp() {
		this.stage.compareAndSet(Stage.OPEN, this.lock.isHeld() ? Stage.GIVEN_UP : Stage.LOST);
		if (isGivenUp()) {
			return ReleaseResult.STILL_HELD;
		}
		return (this.stage.get() == Stage.LOST) ? ReleaseResult.LOST : null;
	}

	// Nothing was written under the lock, so it need not wait for the transaction
	@Override
	public ReleaseResult giveBack() {
		return this.stage.compareAndSet(Stage.OPEN, Stage.FREE) ? this.lock.giveBack() : release();
	}

	private boolean isGivenUp() {
		return this.stage.get() == Stage.GIVEN_UP;
	}

	@Override
	public void afterCompletion(int status) {
		if (transactionCompleted()) {
			this.lock.release();
		}
	}

	// Returns whether the lock is to be released now
	boolean transactionCompleted() {
		Stage before = this.stage.getAndUpdate((present) -> (present == Stage.OPEN) ? Stage.FREE : present);
		return before == Stage.GIVEN_UP || before == Stage.LOST;
	}

	boolean isFree() {
		return this.stage.get() == Stage.FREE;
	}

	@Override
	public String toString() {
		return this.lock.toString();
	}

	private static final class BoundLocks {

		private final Map<String, List<TransactionBoundHandle>> byKey = new HashMap<>();

		private final List<TransactionSynchronization> all = new ArrayList<>();

		// All locks share one synchronization: Spring sorts all that there are at each
		// look-up, which would take long with thousands
		private static BoundLocks ofCurrentTransaction() {
			return TransactionSynchronizationManager.getSynchronizations()
				.stream()
				.filter(Completion.class::isInstance)
				.map((present) -> ((Completion) present).locks)
				.findFirst()
				.orElseGet(BoundLocks::newInTransaction);
		}

		private static BoundLocks newInTransaction() {
			BoundLocks added = new BoundLocks();
			TransactionSynchronizationManager.registerSynchronization(new Completion(added));
			return added;
		}

		private boolean keeps(LockHandle acquired, LockRequest request) {
			return this.byKey.getOrDefault(acquired.keys().get(0), List.of())
				.stream()
				.anyMatch((bound) -> bound.keeps(acquired, request));
		}

		private void add(TransactionBoundHandle bound) {
			this.all.add(bound);
			bound.keys().forEach((key) -> this.byKey.computeIfAbsent(key, (k) -> new ArrayList<>(1)).add(bound));
		}

	}

	private static final class Completion implements TransactionSynchronization {

		private final BoundLocks locks;

		private boolean superseded;

		private Completion(BoundLocks locks) {
			this.locks = locks;
		}

		// Moves behind the callbacks registered since, such as those of event listeners,
		// which then still run under the locks
		@Override
		public void beforeCompletion() {
			TransactionSynchronizationManager.registerSynchronization(new Completion(this.locks));
			this.superseded = true;
		}

		@Override
		public void afterCompletion(int status) {
			if (!this.superseded) {
				TransactionSynchronizationUtils.invokeAfterCompletion(this.locks.all, status);
			}
		}

	}

}
