package io.holdfast.actuate;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.OnLost;
import io.holdfast.engine.TestInstance;
import io.holdfast.local.LocalStores;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.Threads;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Observation handlers that throw.
 */
class BrokenHandlerTests {

	private static final LockRequest REQUEST = LockRequest.of("key");

	private static final IllegalStateException OF_THE_CODE = new IllegalStateException("the code");

	private final TestInstance instance = new TestInstance(new LocalStores()::open);

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final LockTemplate template = new LockTemplate(this.instance.registry(), OnLost.THROW, true,
			new LockObservations(this.registry, null, new LockNames(10)));

	private final ExecutorService pool = Executors.newFixedThreadPool(2);

	@AfterEach
	void close() {
		this.pool.shutdownNow();
		this.instance.close();
	}

	/**
	 * The broken handler comes first, so that it is the last to see an end.
	 */
	private void breakAt(String step) {
		this.registry.observationConfig().observationHandler(new Handler(step)).observationHandler(new Handler("none"));
	}

	private @Nullable Observation current() {
		return this.registry.getCurrentObservation();
	}

	private <T extends @Nullable Object> T inPool(Supplier<T> task) {
		return Threads.join(CompletableFuture.supplyAsync(task, this.pool));
	}

	@ParameterizedTest
	@ValueSource(strings = { "start", "open", "close", "error", "stop" })
	void leaveNothingOnThreadsOfAPool(String step) {
		breakAt(step);
		for (int i = 0; i < 20; i++) {
			boolean failing = i % 2 == 0;
			inPool(() -> {
				assertThat(current()).isNull();
				if (failing) {
					assertThatThrownBy(() -> this.template.execute(REQUEST, (lock) -> {
						throw OF_THE_CODE;
					})).isSameAs(OF_THE_CODE);
				}
				else {
					assertThat(this.template.<String, RuntimeException>execute(REQUEST, (lock) -> "result"))
						.isEqualTo("result");
				}
				assertThat(current()).isNull();
				return true;
			});
		}
		assertThat(OF_THE_CODE.getSuppressed()).isEmpty();
		assertThat(this.instance.registry().held()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "start", "open", "close", "error", "stop" })
	void leaveAsynchronousSectionsAlone(String step) {
		breakAt(step);
		for (int i = 0; i < 20; i++) {
			String result = Threads.join(this.template.executeAsync(REQUEST,
					(lock) -> CompletableFuture.supplyAsync(() -> "result", this.pool)));
			assertThat(result).isEqualTo("result");
			CompletableFuture<@Nullable Observation> left = this.template
				.executeAsync(REQUEST.name("other"), CompletableFuture::completedFuture)
				.thenApply((lock) -> current());
			assertThat(Threads.join(left)).isNull();
		}
	}

	@Test
	void areLoggedOnce() {
		breakAt("start");
		try (RecordedLog log = new RecordedLog()) {
			for (int i = 0; i < 100; i++) {
				this.template.executeWithoutResult(REQUEST, LockHandle::ensureHeld);
			}
			assertThat(log.lines("observation")).singleElement()
				.satisfies((line) -> assertThat(line.hasTrace()).isTrue());
		}
	}

	private record Handler(String broken) implements ObservationHandler<Observation.Context> {

		private void step(Observation.Context context, String step) {
			if (context instanceof LockObservationContext && step.equals(this.broken)) {
				throw new IllegalArgumentException("A broken handler");
			}
		}

		@Override
		public void onStart(Observation.Context context) {
			step(context, "start");
		}

		@Override
		public void onError(Observation.Context context) {
			step(context, "error");
		}

		@Override
		public void onScopeOpened(Observation.Context context) {
			step(context, "open");
		}

		@Override
		public void onScopeClosed(Observation.Context context) {
			step(context, "close");
		}

		@Override
		public void onStop(Observation.Context context) {
			step(context, "stop");
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
