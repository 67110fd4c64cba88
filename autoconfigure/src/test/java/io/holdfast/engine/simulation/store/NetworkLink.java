package io.holdfast.engine.simulation.store;

import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.simulation.schedule.Host;
import io.holdfast.engine.simulation.schedule.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The client of a server that is reached over the network. A thread that has asked waits
 * for the reply, whatever interrupts it, until it has waited for too long: then the
 * request may be carried out at any time.
 */
final class NetworkLink implements Link {

	private final Scheduler scheduler;

	private final Network network;

	private final SimServer server;

	private final String instanceId;

	private final Subscriber subscriber;

	NetworkLink(Scheduler scheduler, Network network, SimServer server, Host host) {
		this.scheduler = scheduler;
		this.network = network;
		this.server = server;
		this.instanceId = host.name();
		this.subscriber = new Subscriber(scheduler, network, server, host);
	}

	Subscriber subscriber() {
		return this.subscriber;
	}

	@Override
	public <T> T send(StoreCall<T> call) {
		this.scheduler.pass();
		Request<T> request = new Request<>(call, Thread.currentThread());
		this.scheduler.note("> " + call);
		this.server.sent(call);
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

	@Override
	public void listen(WakeUpListener listener) {
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
			NetworkLink link = NetworkLink.this;
			boolean again = this.carriedOut;
			this.carriedOut = true;
			T result = link.server.execute(link.instanceId, this.call, Runnable::run);
			link.scheduler.note((again ? "! again " : this.givenUp ? "! late " : "! ") + this.call + " = " + result);
			if (!again) {
				link.network.carryReply(link.instanceId, () -> answer(result), this::loseConnection);
			}
		}

		private void answer(T result) {
			if (!this.givenUp) {
				this.answer = result;
				this.answered = true;
				NetworkLink.this.scheduler.wake(this.client);
			}
		}

		private void loseConnection() {
			if (!this.answered && !this.givenUp) {
				this.connectionLost = true;
				NetworkLink.this.scheduler.wake(this.client);
			}
		}

		@SuppressWarnings("NullAway")
		private T answer() {
			return this.answer;
		}

	}

}
