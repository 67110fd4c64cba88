package io.holdfast.redis;

import java.util.concurrent.ThreadFactory;

import io.holdfast.engine.DaemonThreads;
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

	private final String channel;

	private final String instanceId;

	private final ThreadFactory threads;

	private volatile @Nullable WakeUpSubscription subscription;

	WakeUpChannel(RedisConnectionFactory connectionFactory, String channelPrefix, String instanceId) {
		this(connectionFactory, channelPrefix, instanceId, DaemonThreads.named("holdfast-wake-up"));
	}

	WakeUpChannel(RedisConnectionFactory connectionFactory, String channelPrefix, String instanceId,
			ThreadFactory threads) {
		this.connectionFactory = connectionFactory;
		this.channel = WakeUpSubscription.channel(channelPrefix, instanceId);
		this.instanceId = instanceId;
		this.threads = threads;
	}

	/**
	 * Begin to listen, unless that has begun already. Does not wait for it. Where no
	 * thread can be started for it, waiters poll, and the next one begins.
	 */
	void open(WakeUpListener listener) {
		if (this.subscription == null) {
			subscribe(listener);
		}
	}

	private synchronized void subscribe(WakeUpListener listener) {
		if (this.subscription == null) {
			try {
				WakeUpSubscription fresh = new WakeUpSubscription(this.connectionFactory, this.channel, this.instanceId,
						listener, this.threads);
				this.subscription = fresh;
				fresh.start();
			}
			catch (Throwable ex) {
				this.subscription = null;
			}
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
