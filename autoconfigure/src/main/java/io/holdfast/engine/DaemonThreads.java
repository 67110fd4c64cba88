package io.holdfast.engine;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Makes threads that do not keep the JVM alive, end when idle, and inherit nothing from
 * the caller that happened to start them, such as a user's identity. Their class loader
 * is that of the thread that makes the factory or the executor.
 *
 * @since 0.1.0
 */
public final class DaemonThreads {

	private static final long IDLE_SECONDS = 5;

	private DaemonThreads() {
	}

	public static ThreadFactory named(String name) {
		return named(name, Thread.currentThread().getContextClassLoader());
	}

	static ThreadFactory named(String name, @Nullable ClassLoader classLoader) {
		return (task) -> {
			Thread thread = new Thread(null, task, name, 0, false);
			thread.setContextClassLoader(classLoader);
			thread.setDaemon(true);
			return thread;
		};
	}

	/**
	 * Create an executor that refuses tasks when so many wait already.
	 */
	public static ThreadPoolExecutor pool(String name, int threads, int mostWaiting) {
		return pool(named(name), threads, mostWaiting);
	}

	// With a thread for each task
	static ThreadPoolExecutor unlimited(ThreadFactory factory) {
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
				factory);
	}

	// From now on, threads end as soon as they are idle, not after some seconds
	static void endIdle(ThreadPoolExecutor executor) {
		executor.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
	}

	static ThreadPoolExecutor pool(ThreadFactory factory, int threads, int mostWaiting) {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(threads, threads, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(mostWaiting), factory);
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

}
