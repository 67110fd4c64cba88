package io.holdfast.redis;

import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.LockStore.WakeUpListener;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The channel on which this instance hears which keys to try. Subscribed to by the first
 * waiter; all share the one subscription.
 */
final class WakeUpChannel {

	private final RedisConnectionFactory connectionFactory;

	private final String channelPrefix;

	private final String instanceId;

	private volatile @Nullable WakeUpSubscription subscription;

	WakeUpChannel(RedisConnectionFactory connectionFactory, String channelPrefix, String instanceId) {
		this.connectionFactory = connectionFactory;
		this.channelPrefix = channelPrefix;
		this.instanceId = instanceId;
	}

	/**
	 * Begin to listen, unless that has begun already. Does not wait for it.
	 */
	void open(WakeUpListener listener) {
		if (this.subscription == null) {
			subscribe(listener);
		}
	}

	private synchronized void subscribe(WakeUpListener listener) {
		if (this.subscription == null) {
			WakeUpSubscription fresh = new WakeUpSubscription(this.connectionFactory, this.channelPrefix,
					this.instanceId, listener);
			this.subscription = fresh;
			fresh.start();
		}
	}

	synchronized void close() {
		WakeUpSubscription open = this.subscription;
		if (open != null) {
			this.subscription = null;
			open.close();
		}
	}

	Subscription state() {
		WakeUpSubscription open = this.subscription;
		return (open != null) ? open.state() : Subscription.IDLE;
	}

}
