package io.holdfast.engine.simulation;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.LockStore.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * The subscription of an instance to messages of the server. A thread of its own tells
 * the instance of them, one after the other.
 */
final class Subscriber {

	private static final long RECONNECT = 1_000_000;

	private final Scheduler scheduler;

	private final Network network;

	private final SimServer server;

	private final Host host;

	private final Queue<Consumer<WakeUpListener>> inbox = new ArrayDeque<>();

	private Subscription state = Subscription.IDLE;

	private @Nullable Thread thread;

	private int connection;

	Subscriber(Scheduler scheduler, Network network, SimServer server, Host host) {
		this.scheduler = scheduler;
		this.network = network;
		this.server = server;
		this.host = host;
	}

	Subscription state() {
		return this.state;
	}

	void begin(WakeUpListener listener) {
		if (this.state != Subscription.IDLE) {
			return;
		}
		this.state = Subscription.BROKEN;
		if (this.thread == null) {
			this.thread = this.scheduler.newThread(this.host, "subscription", () -> tell(listener));
			this.thread.start();
		}
		connect();
	}

	/**
	 * Open a connection: until the server knows of it, and the instance that the server
	 * does, messages do not arrive.
	 */
	private void connect() {
		int fresh = ++this.connection;
		this.network.carrySafely(this.host.name(), () -> {
			if (this.connection == fresh) {
				this.server.subscribe(this.host.name(),
						(message) -> this.network.carryMessage(this.host.name(), () -> receive(fresh, message)));
				this.network.carrySafely(this.host.name(), () -> receive(fresh, (listener) -> {
					this.state = Subscription.ACTIVE;
					listener.wakeUpAll();
				}));
			}
		});
	}

	void breakDown() {
		if (this.state != Subscription.IDLE) {
			disconnect(Subscription.BROKEN);
			int broken = this.connection;
			this.scheduler.at(this.scheduler.now() + RECONNECT, () -> {
				if (this.connection == broken && this.state == Subscription.BROKEN) {
					connect();
				}
			});
		}
	}

	void stop() {
		disconnect(Subscription.IDLE);
	}

	private void disconnect(Subscription left) {
		this.connection++;
		this.state = left;
		this.inbox.clear();
		this.server.unsubscribe(this.host.name());
	}

	private void receive(int connection, Consumer<WakeUpListener> message) {
		if (this.connection == connection && this.thread != null) {
			this.inbox.add(message);
			this.scheduler.wake(this.thread);
		}
	}

	private void tell(WakeUpListener listener) {
		while (true) {
			Consumer<WakeUpListener> message = this.inbox.poll();
			if (message != null) {
				message.accept(listener);
			}
			else {
				this.scheduler.sleep(Scheduler.NEVER);
			}
		}
	}

}
