package io.holdfast.engine;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * The {@link Gate} of each key that somebody in this instance holds or waits for.
 */
final class Gates implements LockStore.WakeUpListener {

	private final ConcurrentHashMap<String, Gate> gates = new ConcurrentHashMap<>();

	/**
	 * Pass the gate of a key, waiting until it is free.
	 * @return the passage, or {@code null} when the patience ran out
	 */
	@Nullable Passage enter(String key, Patience patience) throws InterruptedException {
		Gate gate = use(key);
		boolean entered = false;
		try {
			entered = gate.enter(patience);
		}
		finally {
			if (!entered) {
				stopUsing(key, gate);
			}
		}
		return entered ? new Passage(key, gate) : null;
	}

	/**
	 * Return who held the key when it was last looked at.
	 */
	@Nullable String holder(String key) {
		Gate gate = this.gates.get(key);
		return (gate != null) ? gate.holder() : null;
	}

	@Override
	public void wakeUp(String key) {
		Gate gate = this.gates.get(key);
		if (gate != null) {
			gate.wakeUp();
		}
	}

	@Override
	public void wakeUpAll() {
		this.gates.values().forEach(Gate::wakeUp);
	}

	/**
	 * Open all gates for everybody, so that whoever waits finds out that there is nothing
	 * to wait for any more. Later callers find new gates.
	 */
	void abandon() {
		this.gates.values().forEach(Gate::abandon);
		this.gates.clear();
	}

	private Gate use(String key) {
		return this.gates.compute(key, (k, present) -> {
			Gate gate = (present != null) ? present : new Gate();
			gate.users++;
			return gate;
		});
	}

	private void stopUsing(String key, Gate gate) {
		this.gates.computeIfPresent(key, (k, present) -> (present == gate && --present.users == 0) ? null : present);
	}

	/**
	 * The right to deal with one key in the store. Belongs to a waiting caller, then to
	 * the hold that it gets.
	 */
	final class Passage {

		private final String key;

		private final Gate gate;

		private final AtomicBoolean closed = new AtomicBoolean();

		private Passage(String key, Gate gate) {
			this.key = key;
			this.gate = gate;
		}

		Gate gate() {
			return this.gate;
		}

		/**
		 * Let the next one pass. A second call does nothing.
		 */
		void close() {
			if (this.closed.compareAndSet(false, true)) {
				this.gate.leave();
				stopUsing(this.key, this.gate);
			}
		}

	}

}
