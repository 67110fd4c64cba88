package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView;
import org.jspecify.annotations.Nullable;

/**
 * The client of a server that is reached over the network, as one instance sees it. A
 * thread that has asked waits for the reply, whatever interrupts it, until it has waited
 * for too long: then the request may be carried out at any time.
 */
final class SimStore implements LockStore, StoreView {

	private final Scheduler scheduler;

	private final Network network;

	private final SimServer server;

	private final String instanceId;

	private final Subscriber subscriber;

	private final Kind kind;

	private final Mistake mistake;

	SimStore(Scheduler scheduler, Network network, SimServer server, Host host, Kind kind, Mistake mistake) {
		this.scheduler = scheduler;
		this.network = network;
		this.server = server;
		this.instanceId = host.name();
		this.subscriber = new Subscriber(scheduler, network, server, host);
		this.kind = kind;
		this.mistake = mistake;
	}

	void breakSubscription() {
		this.subscriber.breakDown();
	}

	private <T> T request(StoreCall<T> call) {
		this.scheduler.pass();
		Request<T> request = new Request<>(call, Thread.currentThread());
		this.scheduler.note("> " + call);
		this.network.carryRequest(this.instanceId, request::carryOut, request::loseConnection);
		long end = this.scheduler.now() + this.network.clientTimeout();
		while (!request.answered && !request.connectionLost && this.scheduler.now() < end) {
			this.scheduler.sleep(end);
		}
		request.givenUp = true;
		this.scheduler.note("< " + call.name() + " "
				+ (request.answered ? request.answer : request.connectionLost ? "connection lost" : "no answer"));
		if (!request.answered) {
			throw new LockStoreException("No answer to " + call, null, true, request.connectionLost);
		}
		this.scheduler.pass();
		return request.answer();
	}

	private <T> T send(String name, List<String> keys, Object detail, Function<LockStore, T> action) {
		return request(new StoreCall<>(name, keys, detail.toString(), null, null, action));
	}

	private <T> T send(String name, Claim claim, String detail, Function<LockStore, T> action) {
		return request(new StoreCall<>(name, claim.keys(), text(claim) + detail, claim.name(), null, action));
	}

	private <T> T end(String name, HoldId hold, @Nullable String claim, String detail, Function<LockStore, T> action) {
		return request(new StoreCall<>(name, hold.keys(), text(hold) + detail, claim, hold, action));
	}

	private static String text(HoldId hold) {
		return hold.owner() + hold.grants().stream().map((grant) -> grant.key() + "=" + grant.token()).toList();
	}

	private static String text(Claim claim) {
		QueuePlace place = claim.place();
		return claim.owner() + claim.keys() + ((claim.mode() == LockMode.SHARED) ? " shared" : "")
				+ (claim.fair() ? " fair" : "") + ((place != null) ? " at " + place.id() : "") + " as "
				+ claim.number();
	}

	@Override
	public Outcome acquire(Claim claim) {
		return send("acquire", claim, "", (store) -> store.acquire(claim));
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		if (this.mistake == Mistake.NEVER_RENEWS) {
			return renewals.stream().map((renewal) -> (RenewalOutcome) new Renewed(renewal.lease())).toList();
		}
		List<HoldId> holds = renewals.stream().map(Renewal::hold).toList();
		List<String> keys = holds.stream().flatMap((hold) -> hold.keys().stream()).distinct().toList();
		try {
			return send("renew", keys, holds.stream().map(SimStore::text).toList(), (store) -> store.renew(renewals));
		}
		catch (LockStoreException ex) {
			return renewals.stream().map((renewal) -> (RenewalOutcome) new NotAnswered(ex)).toList();
		}
	}

	@Override
	public boolean release(HoldId hold) {
		if (this.mistake == Mistake.NEVER_RELEASES) {
			return true;
		}
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
		if (this.kind.freesOnly()) {
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
		return this.kind.serversByKey() ? keys.get(0) : "";
	}

	@Override
	public StoreView view() {
		return this;
	}

	@Override
	public void listen(String instanceId, WakeUpListener listener) {
		if (this.mistake == Mistake.NEVER_LISTENS) {
			return;
		}
		this.subscriber.begin(listener);
	}

	@Override
	public void stopListening() {
		this.subscriber.stop();
	}

	@Override
	public Subscription subscription() {
		return this.subscriber.state();
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

	/**
	 * What the store is like.
	 *
	 * @param freesOnly whether a lock is freed where it could be handed on
	 * @param serversByKey whether keys seem to be on different servers
	 */
	record Kind(boolean freesOnly, boolean serversByKey) {

	}

	/**
	 * What a store must not do, and rules must find.
	 */
	enum Mistake {

		NONE, NEVER_RENEWS, NEVER_RELEASES, NEVER_LISTENS

	}

	/**
	 * A request on its way. It may be carried out more than once; what came of it first
	 * counts.
	 */
	private final class Request<T> {

		private final StoreCall<T> call;

		private final Thread client;

		private @Nullable T answer;

		private boolean carriedOut;

		private boolean answered;

		private boolean connectionLost;

		private boolean givenUp;

		private Request(StoreCall<T> call, Thread client) {
			this.call = call;
			this.client = client;
		}

		private void carryOut() {
			SimStore store = SimStore.this;
			boolean again = this.carriedOut;
			this.carriedOut = true;
			T result = store.server.execute(store.instanceId, this.call);
			store.scheduler.note((again ? "! again " : this.givenUp ? "! late " : "! ") + this.call + " = " + result);
			if (!again) {
				store.network.carryReply(store.instanceId, () -> answer(result), this::loseConnection);
			}
		}

		private void answer(T result) {
			if (!this.givenUp) {
				this.answer = result;
				this.answered = true;
				SimStore.this.scheduler.wake(this.client);
			}
		}

		private void loseConnection() {
			if (!this.answered && !this.givenUp) {
				this.connectionLost = true;
				SimStore.this.scheduler.wake(this.client);
			}
		}

		@SuppressWarnings("NullAway")
		private T answer() {
			return this.answer;
		}

	}

}
