package io.holdfast.aop;

import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockUnavailableException;
import org.jspecify.annotations.Nullable;

final class CallState {

	private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

	void enter() {
		this.state.compareAndSet(State.WAITING, State.INSIDE);
		if (this.state.get() == State.GIVEN_UP) {
			throw new CancellationException();
		}
	}

	boolean giveUp() {
		return this.state.compareAndSet(State.WAITING, State.GIVEN_UP);
	}

	boolean isInside() {
		return this.state.get() == State.INSIDE;
	}

	// A failure from inside is that of a lock which the method itself requested
	boolean isRefusedBy(@Nullable Throwable failure) {
		return this.state.get() == State.WAITING
				&& (failure instanceof LockNotAcquiredException || failure instanceof LockUnavailableException);
	}

	private enum State {

		WAITING, INSIDE, GIVEN_UP

	}

}
