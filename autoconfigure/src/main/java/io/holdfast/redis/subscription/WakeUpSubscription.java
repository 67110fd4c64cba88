package io.holdfast.redis.subscription;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.LogText;
import io.holdfast.engine.store.LockStore;
import io.holdfast.engine.store.LockStore.HoldId;
import io.holdfast.engine.store.LockStore.WakeUpListener;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockConnectionFactory;
import io.holdfast.redis.script.LockKeys;
import io.holdfast.redis.script.LockScript;
import io.holdfast.redis.script.ScriptCall;
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
 * Keeps a channel subscribed until it is closed. A thread of its own subscribes again
 * with growing pauses for as long as that fails, whatever the reason. (Spring Data's
 * listener container gives up for good on any failure but a broken connection.)
 */
final class WakeUpSubscription implements MessageListener, SubscriptionListener {

	private static final Logger logger = LoggerFactory.getLogger(WakeUpSubscription.class);

	private static final Pattern FORCE_RELEASED = Pattern.compile("!(.+)@([0-9]{1,18})");

	private static final String WANTED = "?";

	private static final String WANTED_NEXT = "?fair";

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

	/**
	 * How often to check the subscription if the client does not report its end.
	 */
	private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

	private static final Duration CLOSING = Duration.ofSeconds(1);

	/**
	 * What an instance tells itself, so that there is something to hear.
	 */
	private static final String ALIVE = ".";

	private static final Duration ALIVE_INTERVAL = Duration.ofSeconds(3);

	private static final Duration ANNOUNCED = Duration.ofSeconds(60);

	private final LockScript<Long> announce = new LockScript<>("announce.lua", (reply) -> (Long) reply);

	private final RedisConnectionFactory connectionFactory;

	private final LockClient redis;

	private final LockKeys keys;

	private final String channel;

	private final String instanceId;

	private final WakeUpListener listener;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final Thread thread;

	private final Thread speaker;

	private final Semaphore toAnnounce = new Semaphore(0);

	/**
	 * Guards the end of the client's call.
	 */
	private final Object call = new Object();

	/**
	 * On which the client's call is under way.
	 */
	private @Nullable RedisConnection calling;

	private volatile boolean subscribed;

	/**
	 * Whether the subscription has ended although its connection still says that it is
	 * subscribed, as after a call of Jedis.
	 */
	private volatile boolean over;

	private volatile LockStore.Subscription state = LockStore.Subscription.IDLE;

	private volatile long heardAt;

	private Duration pause = FIRST_PAUSE;

	WakeUpSubscription(RedisConnectionFactory connectionFactory, LockKeys keys, String instanceId,
			WakeUpListener listener, ThreadFactory threads) {
		this.connectionFactory = connectionFactory;
		this.redis = new LockClient(connectionFactory);
		this.keys = keys;
		this.channel = keys.channelPrefix() + instanceId;
		this.instanceId = instanceId;
		this.listener = listener;
		this.thread = threads.newThread(this::keepSubscribed);
		this.speaker = threads.newThread(this::keepSpeaking);
	}

	void start() {
		this.thread.start();
		this.speaker.start();
	}

	/**
	 * Stop listening. The thread ends the subscription by closing its connection, unless
	 * the client's call keeps it: then the subscription is ended from here, or when it is
	 * there if it is still on its way. (Spring Data takes an earlier call for done
	 * although nothing was sent.) That is waited for, but not for long: Lettuce never
	 * gets a connection that it makes while the application closes, and has to be
	 * interrupted.
	 */
	void close() {
		closeAll(List.of(this));
	}

	/**
	 * Stop listening to several channels, and wait for all together.
	 */
	static void closeAll(List<WakeUpSubscription> subscriptions) {
		subscriptions.forEach((subscription) -> subscription.closed.countDown());
		subscriptions.forEach(WakeUpSubscription::unsubscribe);
		long end = System.nanoTime() + CLOSING.toNanos();
		subscriptions.forEach((subscription) -> subscription.awaitEnd(Duration.ofNanos(end - System.nanoTime())));
	}

	private void awaitEnd(Duration atMost) {
		try {
			this.thread.join(Math.max(1, atMost.toMillis()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.thread.interrupt();
			this.speaker.interrupt();
		}
	}

	/**
	 * A server that hangs, or that is gone without a word, ends no connection.
	 */
	LockStore.Subscription state() {
		LockStore.Subscription present = this.state;
		return (present == LockStore.Subscription.ACTIVE && isSilent()) ? LockStore.Subscription.BROKEN : present;
	}

	private boolean isSilent() {
		return System.nanoTime() - this.heardAt > LockConnectionFactory.LONGEST_SILENCE.toNanos();
	}

	/**
	 * Redis replies how many hear a message on the same server.
	 */
	private void keepSpeaking() {
		boolean heard = false;
		while (!isClosed()) {
			try {
				this.toAnnounce.tryAcquire(ALIVE_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
				if (this.subscribed && !isClosed()) {
					Long hearers = speak();
					if (heard && hearers != null && hearers == 0) {
						subscribeElsewhere();
					}
					heard = hearers != null && hearers > 0;
				}
			}
			catch (Throwable ex) {
				logger.debug("Could not publish to {}", LogText.of(this.channel), ex);
			}
		}
	}

	/**
	 * The message that keeps the subscription awake also prolongs the announcement.
	 * @return how many have heard it, or {@code null} in a Cluster, whose nodes count
	 * their own subscribers only
	 */
	private @Nullable Long speak() {
		ScriptCall call = ScriptCall.onKeys(null, List.of(this.keys.instance(this.instanceId)))
			.with(this.channel, ALIVE, ANNOUNCED);
		this.listener.description().forEach((name, value) -> call.with(name, value));
		Long hearers = this.announce.runReserved(this.redis, call);
		return this.redis.isKnownAsCluster() ? null : hearers;
	}

	/**
	 * The address now leads to another server than the one that is subscribed to, whose
	 * messages arrive only for as long as it is a replica.
	 */
	private void subscribeElsewhere() {
		unsubscribe();
		this.over = true;
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		this.heardAt = System.nanoTime();
		String body = new String(message.getBody(), StandardCharsets.UTF_8);
		int space = body.indexOf(' ');
		if (space > 0) {
			tell(body.substring(0, space), body.substring(space + 1));
		}
	}

	/**
	 * A message names a waiter; or, after an exclamation mark, an owner from whom a lock
	 * was released by force, with its token. A question mark says that others want a lock
	 * that this instance holds.
	 */
	private void tell(String who, String key) {
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
			unsubscribeInCall();
			return;
		}
		if (this.state == LockStore.Subscription.BROKEN) {
			logger.atInfo()
				.addKeyValue("channel", this.channel)
				.log("Subscribed to {} again", LogText.of(this.channel));
		}
		this.heardAt = System.nanoTime();
		this.state = LockStore.Subscription.ACTIVE;
		this.toAnnounce.release();
		this.listener.wakeUpAll();
	}

	/**
	 * Jedis calls this before it returns the connection to its pool. It must not do so
	 * while another thread, which has unsubscribed, still writes to it.
	 */
	@Override
	public void onChannelUnsubscribed(byte[] name, long count) {
		if (Thread.currentThread() == this.thread) {
			synchronized (this.call) {
				this.subscribed = false;
			}
			this.over = true;
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

	/**
	 * Returns when the subscription has ended. Jedis' call lasts for as long as the
	 * subscription does; Lettuce's returns at once.
	 */
	private void subscribe(RedisConnection fresh) {
		this.subscribed = false;
		this.over = false;
		this.heardAt = System.nanoTime();
		calling(fresh);
		try {
			fresh.subscribe(this, this.channel.getBytes(StandardCharsets.UTF_8));
		}
		finally {
			calling(null);
		}
		while (!isClosed() && !this.over && fresh.isSubscribed()) {
			await(CHECK_INTERVAL);
			if (isSilent()) {
				throw new RedisConnectionFailureException("No message has arrived any more");
			}
		}
	}

	private void calling(@Nullable RedisConnection now) {
		synchronized (this.call) {
			this.calling = now;
		}
	}

	private void broken(Throwable failure) {
		if (isClosed()) {
			return;
		}
		if (this.state == LockStore.Subscription.BROKEN) {
			this.pause = longer(this.pause);
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

	/**
	 * Lettuce calls back on an event loop, which must not wait for its own work.
	 */
	private void unsubscribeInCall() {
		if (Thread.currentThread() == this.thread) {
			unsubscribe();
		}
	}

	private void unsubscribe() {
		synchronized (this.call) {
			if (this.calling == null || !this.subscribed) {
				return;
			}
			try {
				Subscription subscription = this.calling.getSubscription();
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

	private void await(Duration time) {
		try {
			this.closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			logger.debug("Interrupts do not end the subscription", ex);
		}
	}

	private static Duration longer(Duration pause) {
		Duration doubled = pause.multipliedBy(2);
		return (doubled.compareTo(LONGEST_PAUSE) < 0) ? doubled : LONGEST_PAUSE;
	}

}
