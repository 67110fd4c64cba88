package io.holdfast.autoconfigure;

import java.util.List;
import java.util.Objects;

import io.holdfast.engine.EngineListener;
import org.jspecify.annotations.Nullable;

/**
 * Several listeners to one engine.
 */
final class EngineListeners implements EngineListener {

	private final List<EngineListener> listeners;

	EngineListeners(List<EngineListener> listeners) {
		this.listeners = listeners;
	}

	@Override
	public void started() {
		for (EngineListener listener : this.listeners) {
			listener.started();
		}
	}

	@Override
	public void stopped() {
		for (EngineListener listener : this.listeners) {
			listener.stopped();
		}
	}

	@Override
	public void asked(Waiter waiter) {
		for (EngineListener listener : this.listeners) {
			listener.asked(waiter);
		}
	}

	@Override
	public void waiting(Waiter waiter) {
		for (EngineListener listener : this.listeners) {
			listener.waiting(waiter);
		}
	}

	@Override
	public void answered(Waiter waiter) {
		for (EngineListener listener : this.listeners) {
			listener.answered(waiter);
		}
	}

	@Override
	public void held(HeldLock lock) {
		for (EngineListener listener : this.listeners) {
			listener.held(lock);
		}
	}

	@Override
	public void ended(HeldLock lock) {
		for (EngineListener listener : this.listeners) {
			listener.ended(lock);
		}
	}

	@Override
	public void renewalFailed(List<? extends HeldLock> locks, long renewals, Throwable failure) {
		for (EngineListener listener : this.listeners) {
			listener.renewalFailed(locks, renewals, failure);
		}
	}

	@Override
	public void renewalAnswered(List<? extends HeldLock> locks, long renewals) {
		for (EngineListener listener : this.listeners) {
			listener.renewalAnswered(locks, renewals);
		}
	}

	@Override
	public @Nullable String nameOf(String owner) {
		return this.listeners.stream()
			.map((listener) -> listener.nameOf(owner))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

}
