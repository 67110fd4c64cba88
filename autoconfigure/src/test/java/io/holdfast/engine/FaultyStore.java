package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A real store behind a bad network: requests and replies get lost or delayed as a test
 * says.
 */
public final class FaultyStore implements LockStore {

	public enum Operation {

		ACQUIRE, TRANSFER, COUNT, RENEW, RELEASE, KEEP, DOWNGRADE, WITHDRAW, VIEW

	}

	private final LockStore store;

	private final Map<Operation, Fault> faults = new ConcurrentHashMap<>();

	private final Map<Operation, AtomicInteger> calls = new ConcurrentHashMap<>();

	private final AtomicInteger wanted = new AtomicInteger();

	private volatile @Nullable WakeUpListener listener;

	private final AtomicInteger incomplete = new AtomicInteger();

	private final List<Integer> renewedKeys = new CopyOnWriteArrayList<>();

	private volatile @Nullable Operation delayedOperation;

	private volatile @Nullable Supplier<?> delayed;

	public FaultyStore(LockStore store) {
		this.store = store;
	}

	WakeUpListener listener() {
		return Objects.requireNonNull(this.listener);
	}

	public void loseRequests(Operation operation, int times) {
		disturb(operation, times, FaultyStore::fail, FaultyStore::nothing);
	}

	public void loseReplies(Operation operation, int times) {
		disturb(operation, times, FaultyStore::nothing, FaultyStore::fail);
	}

	/**
	 * Have the next call fail, and reach the store only when it is told to.
	 * @param meanwhile what to do before it fails
	 */
	void delayRequest(Operation operation, Runnable meanwhile) {
		this.delayedOperation = operation;
		beforeRequest(operation, () -> {
			meanwhile.run();
			throw new LockStoreException("no answer", null, true);
		});
	}

	void carryOutDelayed() {
		Objects.requireNonNull(this.delayed).get();
	}

	public void beforeRequest(Operation operation, Runnable action) {
		around(operation, action, FaultyStore::nothing);
	}

	public void beforeReply(Operation operation, Runnable action) {
		around(operation, FaultyStore::nothing, action);
	}

	void beforeEachRequest(Operation operation, Runnable action) {
		disturb(operation, Integer.MAX_VALUE, action, FaultyStore::nothing);
	}

	/**
	 * Do something before the next call reaches the store, and before its reply reaches
	 * the caller.
	 */
	void around(Operation operation, Runnable before, Runnable after) {
		disturb(operation, 1, before, after);
	}

	private void disturb(Operation operation, int times, Runnable before, Runnable after) {
		this.faults.put(operation, new Fault(new AtomicInteger(times), before, after));
	}

	static void nothing() {
	}

	private static void fail() {
		throw failure();
	}

	/**
	 * Have the next grants be told as not enough; of several keys, the last is not even
	 * told.
	 */
	public void leaveIncomplete(int times) {
		this.incomplete.set(times);
	}

	public int calls(Operation operation) {
		AtomicInteger count = this.calls.get(operation);
		return (count != null) ? count.get() : 0;
	}

	public List<Integer> renewedKeys() {
		return this.renewedKeys;
	}

	private static LockStoreException failure() {
		return new LockStoreException("the network is bad", new IllegalStateException("lost"), true, true);
	}

	private <T extends @Nullable Object> T call(Operation operation, Supplier<T> call) {
		this.calls.computeIfAbsent(operation, (key) -> new AtomicInteger()).incrementAndGet();
		Fault fault = this.faults.get(operation);
		if (fault == null || fault.times.getAndDecrement() <= 0) {
			return call.get();
		}
		if (operation == this.delayedOperation) {
			this.delayedOperation = null;
			this.delayed = call;
		}
		fault.before.run();
		T reply = call.get();
		fault.after.run();
		return reply;
	}

	@Override
	public Outcome acquire(Claim claim) {
		Outcome outcome = call(Operation.ACQUIRE, () -> this.store.acquire(claim));
		boolean incomplete = outcome instanceof Granted && this.incomplete.getAndDecrement() > 0;
		if (!incomplete) {
			return outcome;
		}
		List<Grant> grants = ((Granted) outcome).grants();
		return new Incomplete(claim.granted(grants.subList(0, Math.max(1, grants.size() - 1))), null, failure());
	}

	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		return call(Operation.TRANSFER, () -> this.store.transfer(hold, successor, yield));
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		if (renewals.get(0).holdCount() != null) {
			return call(Operation.COUNT, () -> this.store.renew(renewals));
		}
		this.renewedKeys.add(renewals.stream().mapToInt((renewal) -> renewal.hold().grants().size()).sum());
		return call(Operation.RENEW, () -> this.store.renew(renewals));
	}

	@Override
	public boolean release(HoldId hold) {
		return call(Operation.RELEASE, () -> this.store.release(hold));
	}

	@Override
	public boolean keep(HoldId hold, Duration rest) {
		return call(Operation.KEEP, () -> this.store.keep(hold, rest));
	}

	@Override
	public void end(HoldId hold, Duration rest) {
		Operation operation = (rest.compareTo(Duration.ZERO) > 0) ? Operation.KEEP : Operation.RELEASE;
		call(operation, () -> {
			this.store.end(hold, rest);
			return true;
		});
	}

	@Override
	public boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return call(Operation.DOWNGRADE, () -> this.store.downgrade(hold, holdCount, passedTo));
	}

	@Override
	public void withdraw(Claim claim, Duration refused) {
		call(Operation.WITHDRAW, () -> {
			this.store.withdraw(claim, refused);
			return true;
		});
	}

	@Override
	public Check check() {
		return this.store.check();
	}

	@Override
	public String serverOf(List<String> keys) {
		return this.store.serverOf(keys);
	}

	@Override
	public StoreView view() {
		return call(Operation.VIEW, this.store::view);
	}

	@Override
	public void listen(String instanceId, WakeUpListener listener) {
		this.listener = listener;
		this.store.listen(instanceId, new WakeUpListener() {

			@Override
			public void wakeUp(String key, String placeId) {
				listener.wakeUp(key, placeId);
			}

			@Override
			public void wakeUpAll() {
				listener.wakeUpAll();
			}

			@Override
			public void wanted(String key, boolean fair) {
				listener.wanted(key, fair);
				FaultyStore.this.wanted.incrementAndGet();
			}

			@Override
			public void forceReleased(HoldId hold) {
				listener.forceReleased(hold);
			}

		});
	}

	int wanted() {
		return this.wanted.get();
	}

	@Override
	public void stopListening() {
		this.store.stopListening();
	}

	@Override
	public Subscription subscription() {
		return this.store.subscription();
	}

	private record Fault(AtomicInteger times, Runnable before, Runnable after) {

	}

}
