package io.holdfast.engine;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What becomes of callers that do not wait when there can be no thread for them.
 */
class AsyncThreadsTests {

	private static final List<String> KEYS = List.of("key");

	private final AsyncThreads threads = withoutCallbacks();

	private static AsyncThreads withoutCallbacks() {
		EngineRuntime runtime = EngineRuntime.of(MonotonicClock.SYSTEM);
		Executor none = (task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		};
		EngineRuntime failing = (EngineRuntime) Proxy.newProxyInstance(AsyncThreadsTests.class.getClassLoader(),
				new Class<?>[] { EngineRuntime.class },
				(proxy, method, arguments) -> method.getName().equals("newUnlimitedExecutor") ? none
						: method.invoke(runtime, arguments));
		Background background = new Background(failing, "test-timer");
		return new AsyncThreads(new StoreThreads((keys) -> keys.get(0), background), background);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void futureIsCompletedAllTheSame(boolean fails) {
		CompletableFuture<String> result = this.threads.call(KEYS, () -> {
			if (fails) {
				throw new IllegalStateException("broken");
			}
			return "done";
		});
		if (fails) {
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> Threads.join(result));
		}
		else {
			assertThat(Threads.join(result)).isEqualTo("done");
		}
	}

	@Test
	void callbackRunsOnTheThreadThatMakesIt() {
		CompletableFuture<Thread> called = new CompletableFuture<>();
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> this.threads.callBack(() -> called.complete(Thread.currentThread())));
		assertThat(called).isCompletedWithValue(Thread.currentThread());
	}

}
