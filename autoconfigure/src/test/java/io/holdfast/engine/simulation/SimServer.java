package io.holdfast.engine.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import org.jspecify.annotations.Nullable;

/**
 * The server that has the truth about locks: the locks in memory, with a clock of its own
 * that may be set. Does one thing at a time, in one step each.
 */
final class SimServer {

	private static final Instant EPOCH = Instant.parse("2030-01-01T00:00:00Z");

	private final Scheduler scheduler;

	private final Grants grants = new Grants();

	private final Map<String, Consumer<Consumer<WakeUpListener>>> subscriptions = new LinkedHashMap<>();

	private final List<Executed> log = new ArrayList<>();

	private final Map<String, Integer> mostPlaces = new HashMap<>();

	private Map<String, LockStore> sessions = new LinkedHashMap<>();

	private LocalLocks locks;

	private long clockSet;

	private @Nullable Long replayed;

	SimServer(Scheduler scheduler) {
		this.scheduler = scheduler;
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

	Grants grants() {
		return this.grants;
	}

	<T> T execute(String instanceId, StoreCall<T> call) {
		this.log.add(new Executed(clock(), instanceId, call));
		this.grants.expire(this.scheduler.now(), clock());
		T answer = call.action().apply(session(instanceId));
		List<KeyState> states = look(call.keys());
		this.grants.observe(call, states, this.scheduler.now(), clock());
		states.forEach((state) -> this.mostPlaces.merge(state.key(), state.waiterCount(), Math::max));
		return answer;
	}

	int mostPlaces(String key) {
		return this.mostPlaces.getOrDefault(key, 0);
	}

	private LockStore session(String instanceId) {
		return this.sessions.computeIfAbsent(instanceId, (id) -> {
			LockStore session = new LocalLockStore(this.locks);
			session.listen(id, new Publisher(id));
			return session;
		});
	}

	void subscribe(String instanceId, Consumer<Consumer<WakeUpListener>> send) {
		session(instanceId);
		this.subscriptions.put(instanceId, send);
	}

	void unsubscribe(String instanceId) {
		this.subscriptions.remove(instanceId);
	}

	List<KeyState> look(List<String> keys) {
		return this.scheduler.atomically(() -> {
			this.grants.expire(this.scheduler.now(), clock());
			return session("observer").view().look(keys);
		});
	}

	void setClock(long nanos) {
		this.clockSet += nanos;
	}

	void restartEmpty() {
		this.log.clear();
		replaceBy(clock());
	}

	void failOver(long lag) {
		replaceBy(clock() - lag);
	}

	private void replaceBy(long upTo) {
		this.locks = newLocks();
		this.sessions = new LinkedHashMap<>();
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

	private final class Publisher implements WakeUpListener {

		private final String instanceId;

		private Publisher(String instanceId) {
			this.instanceId = instanceId;
		}

		private void tell(Consumer<WakeUpListener> message) {
			Consumer<Consumer<WakeUpListener>> send = SimServer.this.subscriptions.get(this.instanceId);
			if (send != null && SimServer.this.replayed == null) {
				send.accept(message);
			}
		}

		@Override
		public void wakeUp(String key, String placeId) {
			tell((listener) -> {
				SimServer.this.scheduler.note("woken for " + key + " at " + placeId);
				listener.wakeUp(key, placeId);
			});
		}

		@Override
		public void wanted(String key, boolean fair) {
			tell((listener) -> listener.wanted(key, fair));
		}

		@Override
		public void wakeUpAll() {
			// said by who subscribes
		}

		@Override
		public void forceReleased(HoldId hold) {
			tell((listener) -> listener.forceReleased(hold));
		}

	}

}
