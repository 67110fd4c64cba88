package io.holdfast.engine;

import java.util.List;
import java.util.function.BiConsumer;

import io.holdfast.LockSnapshot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import org.springframework.util.Assert;

/**
 * Several listeners to one engine. What one throws concerns neither the engine nor the
 * others.
 */
final class EngineListeners implements EngineListener {

	private static final Logger logger = LoggerFactory.getLogger(EngineListeners.class);

	private final FailureDigest failures = new FailureDigest(logger, Level.WARN,
			"A listener to the lock engine threw an exception",
			"Listeners to the lock engine threw {} more exceptions, the last: {}", System::nanoTime);

	private final List<EngineListener> listeners;

	EngineListeners(EngineListener... events) {
		Assert.notNull(events, "'events' must not be null");
		this.listeners = List.of(events);
	}

	// As most events are told of each lock, an event needs no object of its own
	private <T> void tell(BiConsumer<EngineListener, T> event, T subject) {
		for (EngineListener listener : this.listeners) {
			try {
				event.accept(listener, subject);
			}
			catch (Throwable ex) {
				this.failures.note(ex);
			}
		}
	}

	@Override
	public void asked(String owner) {
		tell(EngineListener::asked, owner);
	}

	@Override
	public void held(HeldLock lock) {
		tell(EngineListener::held, lock);
	}

	@Override
	public void ended(HeldLock lock) {
		tell(EngineListener::ended, lock);
	}

	@Override
	public void lost(LockSnapshot lock, Throwable cause) {
		tell((listener, lost) -> listener.lost(lost, cause), lock);
	}

	@Override
	public void renewed(long count) {
		tell(EngineListener::renewed, count);
	}

	@Override
	public void renewalFailed(long count) {
		tell(EngineListener::renewalFailed, count);
	}

}
