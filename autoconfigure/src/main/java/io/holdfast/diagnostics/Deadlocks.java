package io.holdfast.diagnostics;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.LogText;
import io.holdfast.concurrent.Background;
import io.holdfast.concurrent.PeriodicCheck;
import io.holdfast.diagnostics.NestedWaiters.Wait;
import io.holdfast.engine.EngineListener.Waiter;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.store.LockStoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of owners that wait for each other's locks. Looks in the store every few seconds,
 * while callers wait whose owners hold something here, and has no thread otherwise.
 *
 * <p>
 * One look proves nothing: while it takes place, a lock may change hands. So what it
 * finds is only suspected, until the next look finds the same again: holds with the same
 * tokens, which have not been released meanwhile, and the same places in queues, which
 * are those of one wait each. A place is there no longer than a while after the last
 * attempt of its waiter, and more time than that passes between the looks: so both still
 * tried when both had the other's lock.
 *
 * <p>
 * What was told is not told again while both have the same holds, however often they give
 * up waiting and try again.
 */
final class Deadlocks {

	private static final Logger logger = LoggerFactory.getLogger(Deadlocks.class);

	private final Pace pace;

	private final NestedWaiters waiters;

	private final PeriodicCheck check;

	private final Set<Deadlock> told = new HashSet<>();

	private Set<Deadlock> suspected = Set.of();

	private volatile @Nullable LockOperations operations;

	Deadlocks(Pace pace, Background background) {
		this.pace = pace;
		this.waiters = new NestedWaiters(pace.leastWait());
		this.check = new PeriodicCheck(background, pace.first(), () -> !this.waiters.isEmpty(), this::look);
	}

	void observe(LockOperations operations) {
		this.operations = operations;
	}

	/**
	 * A caller waits whose owner holds other locks.
	 */
	void waiting(Waiter waiter) {
		this.waiters.add(waiter);
		this.check.start();
	}

	void answered(Waiter waiter) {
		this.waiters.remove(waiter);
	}

	void stop() {
		this.check.stop();
	}

	private @Nullable Duration look() {
		LockOperations present = this.operations;
		if (present == null) {
			return null;
		}
		this.told.removeIf((deadlock) -> !Stream.of(deadlock.one(), deadlock.other())
			.allMatch((party) -> mayBeHeld(party, present)));
		if (this.waiters.isEmpty()) {
			this.suspected = Set.of();
			return null;
		}
		List<Wait> looked = this.suspected.isEmpty() ? this.waiters.next() : suspectedWaits();
		Set<Deadlock> found = looked.isEmpty() ? Set.of() : search(looked, present);
		found.stream().filter(this.suspected::contains).forEach((deadlock) -> tell(deadlock, present));
		this.suspected = this.suspected.isEmpty() ? untold(found) : Set.of();
		return this.suspected.isEmpty() ? this.pace.interval() : this.pace.confirmation();
	}

	/**
	 * Return whether a party has not given up its hold, as far as this instance knows.
	 */
	private static boolean mayBeHeld(Deadlock.Party party, LockOperations operations) {
		return !party.owner().startsWith(operations.instanceId() + ":") || operations.heldLocks()
			.stream()
			.anyMatch((lock) -> lock.id().owner().equals(party.owner()) && lock.id().keys().contains(party.key()));
	}

	private List<Wait> suspectedWaits() {
		return this.waiters.of(this.suspected.stream()
			.flatMap((deadlock) -> Stream.of(deadlock.one().owner(), deadlock.other().owner()))
			.collect(Collectors.toSet()));
	}

	private Set<Deadlock> search(List<Wait> looked, LockOperations operations) {
		try {
			return new DeadlockSearch(operations, this.waiters.all(), looked).found();
		}
		catch (LockStoreException ex) {
			logger.debug("Could not look for deadlocks, trying again", ex);
			return Set.of();
		}
	}

	private Set<Deadlock> untold(Set<Deadlock> found) {
		return found.stream()
			.filter((deadlock) -> !this.told.contains(deadlock.ofSameHolds()))
			.collect(Collectors.toSet());
	}

	private void tell(Deadlock deadlock, LockOperations operations) {
		Deadlock.Party one = deadlock.one();
		Deadlock.Party other = deadlock.other();
		this.told.add(deadlock.ofSameHolds());
		logger.atWarn()
			.addKeyValue("key", one.key())
			.addKeyValue("owner", one.owner())
			.addKeyValue("otherKey", other.key())
			.addKeyValue("otherOwner", other.owner())
			.log("Deadlock suspected: {} holds lock '{}' and waits for '{}', {} holds '{}' and waits for '{}';"
					+ " until one gives up, neither goes on", LogText.of(operations.nameOf(one.owner(), one.key())),
					LogText.of(one.key()), LogText.of(other.key()),
					LogText.of(operations.nameOf(other.owner(), other.key())), LogText.of(other.key()),
					LogText.of(one.key()));
	}

	/**
	 * When to look.
	 *
	 * @param leastWait how long a caller has waited before it is looked at
	 * @param first time from the first wait to the first look
	 * @param confirmation time until a suspicion is looked at again: longer than the
	 * store keeps the place of a waiter that has died
	 * @param interval time between looks that find nothing
	 */
	record Pace(Duration leastWait, Duration first, Duration confirmation, Duration interval) {

		private static final Duration LEAST_WAIT = Duration.ofSeconds(1);

		/**
		 * That of applications, in which deadlocks last.
		 */
		static final Pace STEADY = new Pace(LEAST_WAIT, LEAST_WAIT.plus(HoldfastLockRegistry.POLL),
				HoldfastLockRegistry.POLL.multipliedBy(3), Duration.ofSeconds(5));

	}

}
