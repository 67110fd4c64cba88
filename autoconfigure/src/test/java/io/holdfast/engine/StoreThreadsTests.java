package io.holdfast.engine;

import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;

import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Work in the background on two servers.
 */
class StoreThreadsTests {

	private static final List<String> ONE = List.of("one");

	private static final List<String> TWO = List.of("two");

	/**
	 * The masters of a Cluster may get new addresses for as long as an application runs.
	 */
	@Test
	void serversThatAreGoneAreForgotten() {
		EngineRuntime runtime = EngineRuntime.of(MonotonicClock.SYSTEM);
		Set<Executor> executors = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
		StoreThreads renamed = new StoreThreads((keys) -> keys.get(0),
				new Background(observed(runtime, executors), "test-timer"));
		for (int i = 0; i < 200; i++) {
			CountDownLatch done = new CountDownLatch(1);
			renamed.execute(List.of("server-" + i), done::countDown);
			Threads.await(done);
		}
		assertThat(executors).isNotEmpty();
		await().until(() -> {
			renamed.execute(ONE, () -> {
			});
			renamed.execute(TWO, () -> {
			});
			runtime.endIdleThreads();
			System.gc();
			return executors.size() <= 66;
		});
	}

	@Test
	void serversThatAreAskedInTurnKeepTheirThreads() {
		Set<Executor> executors = ConcurrentHashMap.newKeySet();
		StoreThreads ofTwo = new StoreThreads((keys) -> keys.get(0),
				new Background(observed(EngineRuntime.of(MonotonicClock.SYSTEM), executors), "test-timer"));
		for (int i = 0; i < 20; i++) {
			for (List<String> server : List.of(ONE, TWO)) {
				CountDownLatch done = new CountDownLatch(1);
				ofTwo.execute(server, done::countDown);
				Threads.await(done);
			}
		}
		assertThat(executors).hasSize(2);
	}

	@Test
	void callerIsAnsweredAlthoughThereCanBeNoThreadForWhatItDoesNext() {
		Background failing = new Background(
				withoutThreads("holdfast-callback", EngineRuntime.of(MonotonicClock.SYSTEM)), "test-timer");
		AsyncThreads threads = new AsyncThreads(new StoreThreads((keys) -> keys.get(0), failing), failing);
		assertThat(Threads.join(threads.call(ONE, () -> "done"))).isEqualTo("done");
		CompletableFuture<String> broken = threads.call(ONE, () -> {
			throw new IllegalStateException("broken");
		});
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> Threads.join(broken));
	}

	@Test
	void serversThatGetNoThreadAreForgotten() {
		Set<Executor> executors = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
		EngineRuntime runtime = withoutThreads("holdfast-store", EngineRuntime.of(MonotonicClock.SYSTEM));
		StoreThreads threads = new StoreThreads((keys) -> keys.get(0),
				new Background(observed(runtime, executors), "test-timer"));
		await().until(() -> {
			for (int i = 0; i < 200; i++) {
				List<String> server = List.of("server-" + i);
				assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> threads.execute(server, () -> {
				}));
			}
			System.gc();
			return executors.size() <= 66;
		});
	}

	@Test
	void errorEndsNoOtherTask() {
		CompletableFuture<Throwable> death = new CompletableFuture<>();
		TaskThreads timer = new TaskThreads((task) -> {
			Thread thread = new Thread(task);
			thread.setUncaughtExceptionHandler((failed, ex) -> death.complete(ex));
			return thread;
		}, 1);
		CountDownLatch later = new CountDownLatch(1);
		timer.execute(() -> {
			timer.execute(later::countDown);
			throw new StackOverflowError("for a test");
		});
		Threads.await(later);
		assertThat(Threads.join(death)).isInstanceOf(StackOverflowError.class);
		timer.shutdown();
	}

	private static EngineRuntime withoutThreads(String name, EngineRuntime runtime) {
		return (EngineRuntime) Proxy.newProxyInstance(StoreThreadsTests.class.getClassLoader(),
				new Class<?>[] { EngineRuntime.class }, (proxy, method, arguments) -> {
					if (!method.getName().equals("newExecutor") || !arguments[0].equals(name)) {
						return method.invoke(runtime, arguments);
					}
					return (Executor) (task) -> {
						throw new OutOfMemoryError("unable to create native thread for " + arguments[0]);
					};
				});
	}

	private static EngineRuntime observed(EngineRuntime runtime, Set<Executor> executors) {
		return (EngineRuntime) Proxy.newProxyInstance(StoreThreadsTests.class.getClassLoader(),
				new Class<?>[] { EngineRuntime.class }, (proxy, method, arguments) -> {
					Object result = method.invoke(runtime, arguments);
					if (result instanceof Executor executor && method.getName().equals("newExecutor")) {
						executors.add(executor);
					}
					return result;
				});
	}

	/**
	 * Agents that trace requests take what is given to those for a part of the request.
	 */
	@Test
	void executorsOfTheJdkGetRequestsOfCallersOnly() {
		Set<Executor> executors = ConcurrentHashMap.newKeySet();
		Background background = new Background(observed(EngineRuntime.of(MonotonicClock.SYSTEM), executors),
				"test-timer");
		StoreThreads traced = new StoreThreads((keys) -> keys.get(0), background);
		CountDownLatch done = new CountDownLatch(3);
		background.schedule(new Background.Task(done::countDown), 1);
		traced.executeRenewal("one", done::countDown);
		traced.repeat(ONE, () -> {
			done.countDown();
			return true;
		});
		Threads.await(done);
		assertThat(tasks(executors)).isZero();
		traced.execute(ONE, () -> {
		});
		await().until(() -> tasks(executors) == 1);
	}

	private static long tasks(Set<Executor> executors) {
		return executors.stream().mapToLong((executor) -> ((ThreadPoolExecutor) executor).getTaskCount()).sum();
	}

}
