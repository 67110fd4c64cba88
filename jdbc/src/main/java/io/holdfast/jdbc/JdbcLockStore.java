package io.holdfast.jdbc;

import java.sql.DatabaseMetaData;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.LockStoreException.BusyException;
import io.holdfast.engine.StoreView;
import io.holdfast.jdbc.Dialect.Rows;
import io.holdfast.jdbc.JdbcLocksFailureAnalyzer.UnusableDatabaseException;
import io.holdfast.jdbc.LockTable.Read;
import org.jspecify.annotations.Nullable;

/**
 * Locks in a table of a database: one row for each key. A lock that is free and that
 * nobody waits for is taken by one statement, and freed by one. All else locks the rows,
 * applies the rules, and writes what has changed.
 */
final class JdbcLockStore implements LockStore, AutoCloseable {

	private static final Duration POLL = Duration.ofMillis(50);

	// A waiter comes back, and must not keep a thread from others
	private static final Duration WAITER_TRIES = Duration.ofMillis(20);

	private static final int MOST_REMEMBERED = 1000;

	private final Connections connections;

	private final LockTable table;

	private final WakeUps wakeUps;

	private final LockSteps steps;

	private final Remover remover;

	private final @Nullable CommitPins pins;

	// Keys that lately had waiters, or a holder in the way: the rules are asked at once
	private final Set<String> contended = ConcurrentHashMap.newKeySet();

	/**
	 * Create a store.
	 * @param source where connections come from
	 * @param tablePrefix what the name of the table starts with
	 * @param keyPrefix what the key of each row starts with
	 * @param tokenRetention how long a key's last fencing token is remembered after use
	 * @param timeout how long an answer is waited for
	 * @param guardCommits whether transactions on the same database pin their locks
	 */
	JdbcLockStore(ConnectionSource source, String tablePrefix, String keyPrefix, Duration tokenRetention,
			Duration timeout, boolean guardCommits) {
		this.connections = new Connections(source, timeout);
		String name = tablePrefix + "lock";
		this.table = new LockTable(name, new RowKeys(keyPrefix), tokenRetention);
		this.wakeUps = new WakeUps(name, this.connections);
		this.steps = new LockSteps(this.connections, this.table, this.wakeUps);
		this.remover = new Remover(this.connections, this.table);
		this.pins = guardCommits ? new CommitPins(source, this.connections, this.table) : null;
	}

	/**
	 * Return the name of the database, as far as it can be asked.
	 */
	String database() {
		try {
			return this.connections.call(null, false, (connection, dialect) -> {
				DatabaseMetaData database = connection.getMetaData();
				return "%s %s at %s".formatted(database.getDatabaseProductName(), database.getDatabaseProductVersion(),
						address(database.getURL()));
			});
		}
		catch (UnusableDatabaseException ex) {
			throw ex;
		}
		catch (LockStoreException ex) {
			return "a database that does not answer yet: " + ex.getMessage();
		}
	}

	// Without a password
	static String address(String url) {
		return url.replaceAll("[?;].*|(?<=//)[^/]*@|\\(.*\\)", "");
	}

	/**
	 * Return why a database that has answered grants no locks.
	 */
	@Nullable LockStoreException mistake() {
		return (this.connections.knownDialect() != null) ? check().failure() : null;
	}

	@Override
	public Outcome acquire(Claim claim) {
		this.remover.runSometimes();
		try {
			return LockSteps.unlessLocked((claim.place() != null) ? WAITER_TRIES : LockSteps.TRIES,
					() -> attempt(claim));
		}
		catch (BusyException ex) {
			return new Denied(null, POLL);
		}
	}

	private Outcome attempt(Claim claim) {
		String key = claim.keys().get(0);
		if (this.contended.size() >= MOST_REMEMBERED) {
			this.contended.clear();
		}
		boolean simple = this.contended.add(key) && claim.mode() == LockMode.EXCLUSIVE && claim.keys().size() == 1
				&& RowKeys.isPlain(key);
		long token = simple
				? this.connections.call(key, true, (connection, dialect) -> this.table.take(connection, dialect, claim))
				: 0;
		Outcome outcome = (token > 0) ? new Granted(claim.granted(List.of(new Grant(key, token))))
				: attemptByRules(claim);
		if (outcome instanceof Granted granted && !granted.othersWait()
				&& granted.lastToken() == granted.grants().get(0).token()) {
			this.contended.remove(key);
		}
		return outcome;
	}

	private Outcome attemptByRules(Claim claim) {
		try {
			return this.steps.attempt(claim.keys(), true, Rows.TO_CHANGE_IF_FREE, (rules) -> rules.acquire(claim));
		}
		catch (BusyException ex) {
			// Who takes no place in the row need not lock it to see that it is held
			if (claim.place() == null
					&& this.steps.look(claim.keys(), (rules) -> rules.acquire(claim)) instanceof Denied denied) {
				return denied;
			}
			throw ex;
		}
	}

	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		return this.steps.step(hold, (rules) -> rules.transfer(hold, successor, yield));
	}

	@Override
	public boolean release(HoldId hold) {
		String key = hold.keys().get(0);
		boolean simple = hold.grants().size() == 1 && hold.holder().equals(hold.owner()) && RowKeys.isPlain(key);
		if (simple && !this.contended.contains(key) && this.connections.call(key, false,
				(connection, dialect) -> this.table.free(connection, dialect, hold))) {
			return true;
		}
		return this.steps.step(hold, (rules) -> rules.release(hold));
	}

	/**
	 * Pass over rows that are locked at that moment, and ask for them again.
	 */
	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		Map<Renewal, RenewalOutcome> outcomes = new IdentityHashMap<>();
		try {
			renew(renewals, outcomes, Rows.TO_CHANGE_IF_FREE);
			LockSteps.unlessLocked(LockSteps.TRIES, () -> renew(renewals, outcomes, Rows.TO_CHANGE));
		}
		catch (LockStoreException ex) {
			renewals.forEach((renewal) -> outcomes.putIfAbsent(renewal, new NotAnswered(ex)));
		}
		return renewals.stream().map(outcomes::get).map(Objects::requireNonNull).toList();
	}

	private Map<Renewal, RenewalOutcome> renew(List<Renewal> all, Map<Renewal, RenewalOutcome> outcomes, Rows how) {
		List<Renewal> renewals = all.stream().filter((renewal) -> !outcomes.containsKey(renewal)).toList();
		if (renewals.isEmpty()) { // all were released meanwhile
			return outcomes;
		}
		Set<String> keys = LockTable.keys(renewals);
		outcomes.putAll(this.connections.call(null, false, (connection, dialect) -> {
			connection.setAutoCommit(false);
			Read read = this.table.read(connection, dialect, keys, how);
			Set<String> locked = this.table.lockedByOthers(connection, dialect, keys, read);
			return this.steps.answer(connection, dialect, read, keys, (rules) -> {
				Map<Renewal, RenewalOutcome> answered = new IdentityHashMap<>();
				renewals.stream()
					.filter((renewal) -> Collections.disjoint(locked, renewal.hold().keys()))
					.forEach((renewal) -> answered.put(renewal, rules.renew(renewal)));
				return answered;
			});
		}));
		if (how == Rows.TO_CHANGE && outcomes.size() < all.size()) {
			throw LockTable.busy(renewals.get(0).hold().keys().get(0));
		}
		return outcomes;
	}

	@Override
	public List<RenewalOutcome> pin(List<Renewal> renewals) {
		return (this.pins != null) ? this.pins.pin(renewals) : List.of();
	}

	@Override
	public boolean keep(HoldId hold, Duration rest) {
		return this.steps.step(hold, (rules) -> rules.keep(hold, rest));
	}

	@Override
	public boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return this.steps.step(hold, (rules) -> rules.downgrade(hold, holdCount, passedTo));
	}

	@Override
	public void withdraw(Claim claim, Duration refused) {
		LockSteps.unlessLocked(WAITER_TRIES,
				() -> this.steps.attempt(claim.keys(), false, Rows.TO_CHANGE_IF_FREE, (rules) -> {
					rules.withdraw(claim, refused);
					return claim;
				}));
	}

	/**
	 * Write a row, which is not that of a key in capital letters, and commit nothing.
	 */
	@Override
	public Check check() {
		try {
			this.connections.call(null, false, (connection, dialect) -> {
				connection.setAutoCommit(false);
				String key = "check/" + UUID.randomUUID();
				this.table.create(connection, dialect, key);
				this.table.read(connection, dialect, Set.of(key.toUpperCase(Locale.ROOT)), Rows.SEEN);
				return dialect;
			});
			return Check.PASSED;
		}
		catch (LockStoreException ex) {
			return new Check(List.of(), ex);
		}
	}

	@Override
	public @Nullable Duration pollInterval() {
		Dialect dialect = this.connections.knownDialect();
		return (dialect == null || dialect == Dialect.POSTGRESQL) ? null : POLL;
	}

	@Override
	public StoreView view() {
		return this.steps;
	}

	@Override
	public void listen(String instanceId, WakeUpListener listener) {
		this.wakeUps.open(instanceId, listener);
	}

	@Override
	public void stopListening() {
		this.wakeUps.close();
		this.connections.closeIdle();
	}

	@Override
	public Subscription subscription() {
		return this.wakeUps.state();
	}

	@Override
	public void close() {
		this.wakeUps.close();
		this.connections.close();
	}

}
