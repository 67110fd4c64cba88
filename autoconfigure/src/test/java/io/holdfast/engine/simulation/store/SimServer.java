package io.holdfast.engine.simulation.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.engine.simulation.schedule.Scheduler;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import org.jspecify.annotations.Nullable;

/**
 * The server that has the truth about locks: the locks in memory, with a clock of its own
 * that may be set. Does one thing at a time, in one step each.
 */
public final class SimServer {

	private static final Instant EPOCH = Instant.parse("2030-01-01T00:00:00Z");

	private final Scheduler scheduler;

	private final Grants grants;

	private final Map<String, WakeUpListener> listeners = new LinkedHashMap<>();

	private final List<Executed> log = new ArrayList<>();

	private Map<String, LockStore> sessions = new LinkedHashMap<>();

	private LocalLocks locks;

	private Consumer<Runnable> wakeUps = (none) -> {
	};

	private long clockSet;

	private @Nullable Long replayed;

	public SimServer(Scheduler scheduler) {
		this.scheduler = scheduler;
		this.grants = new Grants();
		this.locks = newLocks();
	}

	private LocalLocks newLocks() {
		return new LocalLocks(this::clock, () -> EPOCH.plusNanos(clock()));
	}

	/**
	 * Return its time: leases are over by it, as they are in Redis, and tokens are made
	 * of it.
	 */
	private long clock() {
		return (this.replayed != null) ? this.replayed : this.scheduler.now() + this.clockSet;
	}

	/**
	 * Return what was granted, and what became of it.
	 */
	public Grants grants() {
		return this.grants;
	}

	/**
	 * Note that something is going to be asked for.
	 */
	void sent(StoreCall<?> call) {
		this.grants.sent(call);
	}

	/**
	 * Carry something out.
	 * @param wakeUps gets what is to be told to waiters
	 */
	<T> T execute(String instanceId, StoreCall<T> call, Consumer<Runnable> wakeUps) {
		this.log.add(new Executed(clock(), instanceId, call));
		this.wakeUps = wakeUps;
		this.grants.expire(this.scheduler.now(), clock());
		T answer = call.action().apply(session(instanceId));
		this.grants.observe(call, look(call.keys()), this.scheduler.now(), clock());
		return answer;
	}

	private LockStore session(String instanceId) {
		return this.sessions.computeIfAbsent(instanceId, (id) -> {
			LockStore session = new LocalLockStore(this.locks);
			session.listen(id, new Forwarding(id));
			return session;
		});
	}

	void listen(String instanceId, WakeUpListener listener) {
		session(instanceId);
		this.listeners.put(instanceId, listener);
	}

	void stopListening(String instanceId) {
		this.listeners.remove(instanceId);
	}

	boolean isListening(String instanceId) {
		return this.listeners.containsKey(instanceId);
	}

	/**
	 * Return what is known of keys that somebody holds or waits for.
	 */
	public List<KeyState> look(List<String> keys) {
		return this.scheduler.atomically(() -> {
			this.grants.expire(this.scheduler.now(), clock());
			return session("observer").view().look(keys);
		});
	}

	/**
	 * Set the clock.
	 * @param nanos by how much
	 */
	void setClock(long nanos) {
		this.clockSet += nanos;
	}

	/**
	 * Lose everything.
	 */
	void restartEmpty() {
		this.log.clear();
		replaceBy(clock());
	}

	/**
	 * Be replaced by a copy that does not know what was last.
	 * @param lag how long ago it was up to date
	 */
	void failOver(long lag) {
		replaceBy(clock() - lag);
	}

	private void replaceBy(long upTo) {
		this.locks = newLocks();
		this.sessions = new LinkedHashMap<>();
		this.wakeUps = (none) -> {
		};
		this.log.removeIf((executed) -> executed.time() > upTo);
		for (Executed executed : this.log) {
			this.replayed = executed.time();
			executed.call().action().apply(session(executed.instanceId()));
		}
		this.replayed = null;
		this.grants.dataLost(this::look, this.scheduler.now(), clock());
	}

	private record Executed(long time, String instanceId, StoreCall<?> call) {
	}

	/**
	 * Tells an instance what concerns it, if it listens.
	 */
	private final class Forwarding implements WakeUpListener {

		private final String instanceId;

		private Forwarding(String instanceId) {
			this.instanceId = instanceId;
		}

		private void tell(Consumer<WakeUpListener> message) {
			WakeUpListener listener = SimServer.this.listeners.get(this.instanceId);
			if (listener != null) {
				SimServer.this.wakeUps.accept(() -> message.accept(listener));
			}
		}

		@Override
		public void wakeUp(String key, String placeId) {
			tell((listener) -> listener.wakeUp(key, placeId));
		}

		@Override
		public void wanted(String key, boolean fair) {
			tell((listener) -> listener.wanted(key, fair));
		}

		@Override
		public void wakeUpAll() {
			// said by whoever subscribes
		}

		@Override
		public void forceReleased(HoldId hold) {
			tell((listener) -> listener.forceReleased(hold));
		}

	}

}
