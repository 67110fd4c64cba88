package io.holdfast.redis;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.LogText;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockClient.Purpose;
import io.holdfast.redis.connection.LockConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Keeps a channel subscribed until it is closed. Spring Data's listener container gives
 * up on any failure but a broken connection; this subscribes again, with growing pauses,
 * whatever the reason was.
 */
final class WakeUpSubscription implements MessageListener, SubscriptionListener {

	private static final Logger logger = LoggerFactory.getLogger(WakeUpSubscription.class);

	private static final Pattern FORCE_RELEASED = Pattern.compile("!(.+)@([0-9]{1,18})");

	private static final String WANTED = "?";

	private static final String WANTED_NEXT = "?fair";

	private static final long FIRST_PAUSE = Duration.ofMillis(50).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofSeconds(2).toNanos();

	// For a client that does not report the end of a subscription
	private static final long CHECK_INTERVAL = Duration.ofSeconds(1).toNanos();

	private static final Duration CLOSING = Duration.ofSeconds(1);

	// Published to this instance itself: a subscription that receives none is broken
	private static final String HEARTBEAT = ".";

	private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(3);

	private final EvictionWarning eviction = new EvictionWarning();

	private final LockScript<Long> heartbeat = LockScript.replyingNumber("heartbeat.lua");

	private final RedisConnectionFactory connectionFactory;

	private final LockClient redis;

	private final String channel;

	private final String instanceId;

	private final WakeUpListener listener;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final Thread subscriber;

	private final Thread publisher;

	private final Semaphore publishNow = new Semaphore(0);

	private final Object subscribingLock = new Object();

	// Guarded by 'subscribingLock'
	private @Nullable RedisConnection subscribing;

	private volatile boolean subscribed;

	// Jedis' connection still says that it is subscribed after its subscription has ended
	private volatile boolean ended;

	private volatile LockStore.Subscription state = LockStore.Subscription.IDLE;

	private volatile long receivedAt;

	private long pause = FIRST_PAUSE;

	WakeUpSubscription(RedisConnectionFactory connectionFactory, LockKeys keys, String instanceId,
			WakeUpListener listener, ThreadFactory threads) {
		this.connectionFactory = connectionFactory;
		this.redis = new LockClient(connectionFactory);
		this.channel = keys.channelPrefix() + instanceId;
		this.instanceId = instanceId;
		this.listener = listener;
		this.subscriber = threads.newThread(this::keepSubscribed);
		this.publisher = threads.newThread(this::keepPublishing);
	}

	void start() {
		this.subscriber.start();
		this.publisher.start();
	}

	// Waits for the end of the subscription, but not for long: Lettuce never gets a
	// connection that it makes while the application closes, and has to be interrupted.
	// The subscriber ends its subscription by closing the connection. While the client's
	// call keeps it, the subscription is ended from here; or in onChannelSubscribed(),
	// since Spring Data sends nothing before that
	void close() {
		this.closed.countDown();
		unsubscribe();
		try {
			this.subscriber.join(CLOSING.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.subscriber.interrupt();
			this.publisher.interrupt();
		}
	}

	// A server that hangs, or disappears without a word, ends no connection
	LockStore.Subscription state() {
		LockStore.Subscription present = this.state;
		return (present == LockStore.Subscription.ACTIVE && isSilent()) ? LockStore.Subscription.BROKEN : present;
	}

	private boolean isSilent() {
		return System.nanoTime() - this.receivedAt > LockConnectionFactory.LONGEST_SILENCE.toNanos();
	}

	private void keepPublishing() {
		boolean wasReceived = false;
		while (!isClosed()) {
			try {
				this.publishNow.tryAcquire(HEARTBEAT_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
				if (this.subscribed && !isClosed()) {
					Long receivers = publishHeartbeat();
					if (wasReceived && receivers != null && receivers == 0) {
						// The address leads to another server now: this one receives
						// messages only while it is a replica
						unsubscribe();
						this.ended = true;
					}
					wasReceived = receivers != null && receivers > 0;
					this.eviction.check(this.redis, LockKeys.bytes(this.channel));
				}
			}
			catch (Throwable ex) {
				logger.debug("Could not publish to {}", LogText.of(this.channel), ex);
			}
		}
	}

	// Returns how many received it. Null in a Cluster: nodes count only their own
	// subscribers
	private @Nullable Long publishHeartbeat() {
		ScriptCall call = ScriptCall.onServerOf(LockKeys.bytes(this.channel)).with(this.channel, HEARTBEAT);
		Long receivers = this.heartbeat.run(this.redis, call, Purpose.REPEAT);
		return this.redis.isKnownAsCluster() ? null : receivers;
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		this.receivedAt = System.nanoTime();
		String body = LockImage.text(message.getBody());
		int space = body.indexOf(' ');
		if (space > 0) {
			dispatch(body.substring(0, space), body.substring(space + 1));
		}
	}

	// <waiter>, ?[fair] for a lock that others want, or !<owner>@<token> for one that was
	// released by force
	private void dispatch(String who, String key) {
		if (who.startsWith(WANTED)) {
			this.listener.wanted(key, who.equals(WANTED_NEXT));
			return;
		}
		Matcher released = FORCE_RELEASED.matcher(who);
		if (released.matches()) {
			String owner = this.instanceId + ":" + released.group(1);
			this.listener.forceReleased(new HoldId(key, owner, Long.parseLong(released.group(2))));
		}
		else {
			this.listener.wakeUp(key, this.instanceId + ":" + who);
		}
	}

	@Override
	public void onChannelSubscribed(byte[] name, long count) {
		this.subscribed = true;
		if (isClosed()) {
			// Lettuce calls this on an event loop, which must not wait for its own work
			if (Thread.currentThread() == this.subscriber) {
				unsubscribe();
			}
			return;
		}
		if (this.state == LockStore.Subscription.BROKEN) {
			logger.atInfo()
				.addKeyValue("channel", this.channel)
				.log("Subscribed to {} again", LogText.of(this.channel));
		}
		this.receivedAt = System.nanoTime();
		this.state = LockStore.Subscription.ACTIVE;
		this.publishNow.release();
		this.listener.wakeUpAll();
	}

	// Jedis returns the connection to its pool after this: a thread that unsubscribes
	// must have written before
	@Override
	public void onChannelUnsubscribed(byte[] name, long count) {
		if (Thread.currentThread() == this.subscriber) {
			synchronized (this.subscribingLock) {
				this.subscribed = false;
			}
			this.ended = true;
		}
	}

	private void keepSubscribed() {
		while (!isClosed()) {
			try (RedisConnection fresh = connect()) {
				subscribe(fresh);
			}
			catch (Throwable ex) {
				broken(ex);
			}
			await(this.pause);
		}
	}

	private RedisConnection connect() {
		return (this.connectionFactory instanceof LockConnectionFactory own) ? own.getSubscriptionConnection()
				: this.connectionFactory.getConnection();
	}

	// Jedis' call lasts for as long as the subscription does; Lettuce's returns at once
	private void subscribe(RedisConnection fresh) {
		this.subscribed = false;
		this.ended = false;
		this.receivedAt = System.nanoTime();
		setSubscribing(fresh);
		try {
			fresh.subscribe(this, LockKeys.bytes(this.channel));
		}
		finally {
			setSubscribing(null);
		}
		while (!isClosed() && !this.ended && fresh.isSubscribed()) {
			await(CHECK_INTERVAL);
			if (isSilent()) {
				throw new RedisConnectionFailureException("No message has arrived any more");
			}
		}
	}

	private void setSubscribing(@Nullable RedisConnection now) {
		synchronized (this.subscribingLock) {
			this.subscribing = now;
		}
	}

	private void broken(Throwable failure) {
		if (isClosed()) {
			return;
		}
		if (this.state == LockStore.Subscription.BROKEN) {
			this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
			return;
		}
		this.pause = FIRST_PAUSE;
		this.state = LockStore.Subscription.BROKEN;
		logger.atWarn()
			.addKeyValue("channel", this.channel)
			.log("Not subscribed to {}, trying again; waiters for locks poll meanwhile: {}", LogText.of(this.channel),
					LogText.of(NestedExceptionUtils.getMostSpecificCause(failure).getMessage()));
		logger.debug("Why {} is not subscribed to", LogText.of(this.channel), failure);
	}

	private void unsubscribe() {
		synchronized (this.subscribingLock) {
			if (this.subscribing == null || !this.subscribed) {
				return;
			}
			try {
				Subscription subscription = this.subscribing.getSubscription();
				if (subscription != null) {
					subscription.close();
				}
			}
			catch (RuntimeException ex) {
				logger.debug("Could not unsubscribe from {}", LogText.of(this.channel), ex);
			}
		}
	}

	private boolean isClosed() {
		return this.closed.getCount() == 0;
	}

	private void await(long nanos) {
		try {
			this.closed.await(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			logger.debug("Interrupts do not end the subscription", ex);
		}
	}

}
