package io.holdfast.engine.simulation.store;

import java.util.ArrayList;
import java.util.List;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.simulation.schedule.Chance;
import io.holdfast.engine.simulation.schedule.Host;
import io.holdfast.engine.simulation.schedule.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A server, and the stores by which instances reach it.
 */
public final class SimStores {

	private static final long MILLIS = 1_000_000;

	private final Scheduler scheduler;

	private final Kind kind;

	private final SimServer server;

	private final @Nullable Network network;

	private final List<Subscriber> subscribers = new ArrayList<>();

	/**
	 * Create a server.
	 * @param weather how the network behaves, or {@code null} when the store is called
	 * directly
	 */
	public SimStores(Scheduler scheduler, Chance chance, Kind kind, @Nullable Weather weather) {
		this.scheduler = scheduler;
		this.kind = kind;
		this.server = new SimServer(scheduler);
		this.network = (weather != null) ? new Network(scheduler, chance, weather) : null;
	}

	/**
	 * Create the store of an instance.
	 * @param errors may throw an error, before and after each request
	 */
	public LockStore open(Host host, Runnable errors) {
		return new SimStore(link(host), errors, this.kind.freesOnly(), this.kind.serversByKey());
	}

	private Link link(Host host) {
		if (this.network == null) {
			return new DirectLink(this.scheduler, this.server, host.name());
		}
		NetworkLink link = new NetworkLink(this.scheduler, this.network, this.server, host);
		this.subscribers.add(link.subscriber());
		return link;
	}

	public SimServer server() {
		return this.server;
	}

	/**
	 * Let nothing go wrong any more between instances and the server.
	 */
	public void calm() {
		if (this.network != null) {
			this.network.calm();
		}
	}

	/**
	 * Return whether some instance cannot reach the server at present, or none can.
	 */
	public boolean isCut() {
		return this.network != null && this.network.isCut();
	}

	/**
	 * Let no request or reply of an instance get through for a time.
	 */
	public void cutOff(Host host, long nanos) {
		network().cutOff(host.name(), nanos);
	}

	/**
	 * Let the server stand still for a time.
	 */
	public void freeze(long nanos) {
		network().freezeServer(nanos);
	}

	/**
	 * Let the server begin anew without any data.
	 */
	public void restartEmpty() {
		this.server.restartEmpty();
		breakSubscriptions();
	}

	/**
	 * Let another server take over that does not know what has happened last.
	 */
	public void failOver(long lag) {
		this.server.failOver(lag);
		breakSubscriptions();
	}

	/**
	 * Set the server's clock.
	 */
	public void setClock(long nanos) {
		this.server.setClock(nanos);
	}

	/**
	 * Break all subscriptions; they begin anew after a while.
	 */
	public void breakSubscriptions() {
		this.subscribers.forEach((subscriber) -> subscriber.breakDown(MILLIS));
	}

	private Network network() {
		if (this.network == null) {
			throw new IllegalStateException("There is no network");
		}
		return this.network;
	}

	/**
	 * What the store is like.
	 *
	 * @param freesOnly whether a lock is freed where it could be handed on
	 * @param serversByKey whether keys seem to be on different servers
	 */
	public record Kind(boolean freesOnly, boolean serversByKey) {
	}

}
