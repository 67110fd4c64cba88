package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.holdfast.LockTemplate;
import io.holdfast.OnLost;
import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * One of several applications that share a store, as far as locks go. Closing it is a
 * shutdown without grace.
 */
public final class TestInstance implements AutoCloseable {

	public static final int LOCAL_HANDOFFS = 16;

	/**
	 * Longer than a busy machine keeps a lock from anybody.
	 */
	static final Duration WAIT_FOR = Duration.ofSeconds(20);

	/**
	 * For how long a lock passes among the callers of an instance without asking the
	 * store.
	 */
	public static final Duration HANDOVER_CHECK = Duration.ofMillis(50);

	private final String id = UUID.randomUUID().toString();

	private final LockStore store;

	private final HoldfastLockRegistry registry;

	private final LockTemplate template;

	private final RecordingListener events = new RecordingListener();

	private final AtomicLong renewed = new AtomicLong();

	private final AtomicLong notRenewed = new AtomicLong();

	public TestInstance(Function<String, LockStore> stores) {
		this(stores, OnLost.THROW);
	}

	public TestInstance(Function<String, LockStore> stores, OnLost onLost) {
		this(stores, onLost, true, HoldfastLockRegistry.POLL, HANDOVER_CHECK);
	}

	TestInstance(Function<String, LockStore> stores, @Nullable Duration warnHold, @Nullable Duration warnWait) {
		this(stores, true, HoldfastLockRegistry.POLL, (id) -> new EngineSettings(idsFrom(id), Duration.ofSeconds(30),
				WAIT_FOR, true, null, false, OnLost.THROW, LOCAL_HANDOFFS, HANDOVER_CHECK, warnHold, warnWait));
	}

	/**
	 * Create an instance whose waiters rely on wake-ups, or ask seldom.
	 */
	public TestInstance(Function<String, LockStore> stores, Duration poll) {
		this(stores, OnLost.THROW, true, poll, HANDOVER_CHECK);
	}

	private TestInstance(Function<String, LockStore> stores, OnLost onLost, boolean observed, Duration poll,
			Duration handoverCheck) {
		this(stores, observed, poll, (id) -> new EngineSettings(idsFrom(id), Duration.ofSeconds(30), WAIT_FOR, true,
				null, false, onLost, LOCAL_HANDOFFS, handoverCheck, null, null));
	}

	private TestInstance(Function<String, LockStore> stores, boolean observed, Duration poll,
			Function<String, EngineSettings> settingsOf) {
		this.store = stores.apply(this.id);
		EngineSettings settings = settingsOf.apply(this.id);
		this.registry = new HoldfastLockRegistry(this.store, settings,
				() -> observed ? List.of(this.events) : List.of(), new EngineListener[] { countingRenewals() },
				EngineRuntime.of(MonotonicClock.SYSTEM), poll);
		this.template = new LockTemplate(this.registry, settings.onLost());
	}

	private static Supplier<String> idsFrom(String first) {
		return Stream.iterate(first, (last) -> UUID.randomUUID().toString()).iterator()::next;
	}

	private EngineListener countingRenewals() {
		return new EngineListener() {

			@Override
			public void renewed(long count) {
				TestInstance.this.renewed.addAndGet(count);
			}

			@Override
			public void renewalFailed(long count) {
				TestInstance.this.notRenewed.addAndGet(count);
			}

		};
	}

	/**
	 * Wait until it listens, as an instance does from its first request on.
	 */
	public void listen() {
		this.template.acquire("listen-" + this.id).release();
		await().until(() -> this.store.subscription() == LockStore.Subscription.ACTIVE);
	}

	public long renewed() {
		return this.renewed.get();
	}

	public long notRenewed() {
		return this.notRenewed.get();
	}

	/**
	 * Create an instance that records no events, for long runs.
	 */
	public static TestInstance unobserved(Function<String, LockStore> stores) {
		return new TestInstance(stores, OnLost.THROW, false, HoldfastLockRegistry.POLL, HANDOVER_CHECK);
	}

	static TestInstance passing(Function<String, LockStore> stores, Duration handoverCheck) {
		return new TestInstance(stores, OnLost.THROW, true, HoldfastLockRegistry.POLL, handoverCheck);
	}

	public String id() {
		return this.registry.operations().instanceId();
	}

	public LockStore store() {
		return this.store;
	}

	public HoldfastLockRegistry registry() {
		return this.registry;
	}

	public LockTemplate template() {
		return this.template;
	}

	public RecordingListener events() {
		return this.events;
	}

	@Override
	public void close() {
		this.registry.close();
	}

}
