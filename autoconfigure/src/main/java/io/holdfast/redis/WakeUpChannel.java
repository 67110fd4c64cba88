package io.holdfast.redis;

import java.util.concurrent.ThreadFactory;
import java.util.function.BiFunction;

import io.holdfast.engine.DaemonThreads;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.LockStore.WakeUpListener;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The channel with this instance's messages. The first caller that asks for a lock
 * subscribes to it; all share the one subscription.
 */
final class WakeUpChannel {

	private final BiFunction<String, WakeUpListener, WakeUpSubscription> subscriptions;

	private volatile @Nullable WakeUpSubscription subscription;

	WakeUpChannel(RedisConnectionFactory connectionFactory, LockKeys keys) {
		ThreadFactory threads = DaemonThreads.named("holdfast-wake-up");
		this.subscriptions = (instanceId, listener) -> new WakeUpSubscription(connectionFactory, keys, instanceId,
				listener, threads);
	}

	// Does not wait for the subscription
	void open(String instanceId, WakeUpListener listener) {
		if (this.subscription == null) {
			subscribe(instanceId, listener);
		}
	}

	private synchronized void subscribe(String instanceId, WakeUpListener listener) {
		if (this.subscription == null) {
			WakeUpSubscription fresh = this.subscriptions.apply(instanceId, listener);
			fresh.start();
			this.subscription = fresh;
		}
	}

	void close() {
		WakeUpSubscription open = end();
		if (open != null) {
			open.close();
		}
	}

	private synchronized @Nullable WakeUpSubscription end() {
		WakeUpSubscription open = this.subscription;
		this.subscription = null;
		return open;
	}

	Subscription state() {
		WakeUpSubscription open = this.subscription;
		return (open != null) ? open.state() : Subscription.IDLE;
	}

}
