package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockListener;
import io.holdfast.LockRequest;
import io.holdfast.NotAcquiredReason;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RecordedLog.Line;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of what listeners throw.
 */
class ListenersTests {

	@Test
	void whatAListenerThrowsIsLoggedOnce() {
		Listeners listeners = new Listeners(() -> List.of(throwing(), throwing()),
				new Background(EngineRuntime.SYSTEM));
		try (RecordedLog log = new RecordedLog()) {
			for (int i = 0; i < 100; i++) {
				listeners.notAcquired(LockRequest.of("k"), Duration.ZERO, NotAcquiredReason.TIMEOUT);
			}
			assertThat(log.lines("A lock listener threw an exception")).as("each of the two")
				.hasSize(2)
				.allMatch(Line::hasTrace);
		}
	}

	private static LockListener throwing() {
		return new LockListener() {

			@Override
			public void onNotAcquired(LockRequest request, Duration waited, NotAcquiredReason reason) {
				throw new IllegalStateException("broken");
			}

		};
	}

}
