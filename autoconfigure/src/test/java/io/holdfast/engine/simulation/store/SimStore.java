package io.holdfast.engine.simulation.store;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView;
import org.jspecify.annotations.Nullable;

/**
 * The store as one instance sees it.
 */
final class SimStore implements LockStore, StoreView {

	private final Link link;

	private final Runnable errors;

	private final boolean freesOnly;

	private final boolean serversByKey;

	/**
	 * Create a store.
	 * @param errors may throw an error, before and after each request
	 * @param freesOnly whether a lock is freed where it could be handed on
	 * @param serversByKey whether keys seem to be on different servers
	 */
	SimStore(Link link, Runnable errors, boolean freesOnly, boolean serversByKey) {
		this.link = link;
		this.errors = errors;
		this.freesOnly = freesOnly;
		this.serversByKey = serversByKey;
	}

	private <T> T request(StoreCall<T> call) {
		this.errors.run();
		T answer = this.link.send(call);
		this.errors.run();
		return answer;
	}

	private <T> T send(String name, List<String> keys, Object detail, Function<LockStore, T> action) {
		return request(new StoreCall<>(name, keys, detail.toString(), null, null, List.of(), action));
	}

	private <T> T send(String name, Claim claim, String detail, Function<LockStore, T> action) {
		return request(
				new StoreCall<>(name, claim.keys(), text(claim) + detail, claim.name(), null, List.of(), action));
	}

	private <T> T end(String name, HoldId hold, @Nullable String claim, String detail, Function<LockStore, T> action) {
		return request(new StoreCall<>(name, hold.keys(), text(hold) + detail, claim, hold, List.of(), action));
	}

	private static String text(HoldId hold) {
		return hold.owner() + hold.grants().stream().map((grant) -> grant.key() + "=" + grant.token()).toList();
	}

	private static String text(Claim claim) {
		QueuePlace place = claim.place();
		return claim.owner() + claim.keys() + (claim.mode() == io.holdfast.LockMode.SHARED ? " shared" : "")
				+ (claim.fair() ? " fair" : "") + ((place != null) ? " at " + place.id() : "") + " as "
				+ claim.number();
	}

	@Override
	public Outcome acquire(Claim claim) {
		return send("acquire", claim, "", (store) -> store.acquire(claim));
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		List<HoldId> holds = renewals.stream().map(Renewal::hold).toList();
		List<String> keys = holds.stream().flatMap((hold) -> hold.keys().stream()).distinct().toList();
		try {
			return request(new StoreCall<>("renew", keys, holds.stream().map(SimStore::text).toList().toString(), null,
					null, renewals, (store) -> store.renew(renewals)));
		}
		catch (LockStoreException ex) {
			return renewals.stream().map((renewal) -> (RenewalOutcome) new NotAnswered(ex)).toList();
		}
	}

	@Override
	public boolean release(HoldId hold) {
		return end("release", hold, null, "", (store) -> store.release(hold));
	}

	@Override
	public boolean keep(HoldId hold, Duration rest) {
		return end("keep", hold, null, "", (store) -> store.keep(hold, rest));
	}

	@Override
	public boolean downgrade(HoldId hold, int holdCount, @Nullable String passedTo) {
		return send("downgrade", hold.keys(), text(hold) + " " + holdCount,
				(store) -> store.downgrade(hold, holdCount, passedTo));
	}

	@Override
	public Transfer transfer(HoldId hold, Claim successor, boolean yield) {
		if (this.freesOnly) {
			return release(hold) ? new Freed() : new NotHeld();
		}
		return end("transfer", hold, successor.name(), " to " + text(successor) + (yield ? " yield" : ""),
				(store) -> store.transfer(hold, successor, yield));
	}

	@Override
	public void withdraw(Claim claim, Duration refused) {
		send("withdraw", claim, refused.isZero() ? "" : " for good", (store) -> {
			store.withdraw(claim, refused);
			return true;
		});
	}

	@Override
	public Check check() {
		throw new UnsupportedOperationException();
	}

	@Override
	public String serverOf(List<String> keys) {
		return this.serversByKey ? keys.get(0) : "";
	}

	@Override
	public StoreView view() {
		return this;
	}

	@Override
	public void listen(String instanceId, WakeUpListener listener) {
		this.link.listen(listener);
	}

	@Override
	public void stopListening() {
		this.link.stopListening();
	}

	@Override
	public Subscription subscription() {
		return this.link.subscription();
	}

	@Override
	public List<KeyState> look(List<String> keys) {
		return send("look", keys, keys, (store) -> store.view().look(keys));
	}

	@Override
	public ForcedRelease forceRelease(String key, @Nullable Long token, Duration within) {
		return send("force", List.of(key), key, (store) -> store.view().forceRelease(key, token, within));
	}

	@Override
	public HeldKeys heldKeys(int most, Duration atMost) {
		throw new UnsupportedOperationException();
	}

}
