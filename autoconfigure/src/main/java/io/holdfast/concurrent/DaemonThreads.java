package io.holdfast.concurrent;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Makes threads that do not keep the JVM alive, and end when there is nothing to do. A
 * thread may serve any caller, and inherits nothing from the one that has started it,
 * such as a user's identity. Its class loader is that of the thread that makes the
 * factory or the executor.
 *
 * @since 0.1.0
 */
public final class DaemonThreads {

	/**
	 * How long a thread waits for more to do.
	 */
	private static final long IDLE_SECONDS = 5;

	private DaemonThreads() {
	}

	/**
	 * Create a factory of threads of one name.
	 * @param name the name
	 * @return the factory
	 */
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
	 * Create an executor of so many threads.
	 * @param name their name
	 * @param threads how many there are at most
	 * @param mostWaiting how much may wait for them before more is refused
	 * @return the executor
	 */
	public static ThreadPoolExecutor pool(String name, int threads, int mostWaiting) {
		return pool(named(name), threads, mostWaiting);
	}

	/**
	 * Create an executor that has a thread for each task.
	 * @param factory makes the threads
	 * @return the executor
	 */
	public static ThreadPoolExecutor unlimited(ThreadFactory factory) {
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
				factory);
	}

	/**
	 * Let the threads of an executor end as soon as they have nothing to do, instead of
	 * after some seconds.
	 * @param executor the executor, which can still be used
	 */
	public static void endIdle(ThreadPoolExecutor executor) {
		executor.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
	}

	static ScheduledThreadPoolExecutor timer(ThreadFactory factory) {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, factory,
				new ThreadPoolExecutor.DiscardPolicy());
		timer.setRemoveOnCancelPolicy(true);
		timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		timer.allowCoreThreadTimeOut(true);
		return timer;
	}

	static ThreadPoolExecutor pool(ThreadFactory factory, int threads, int mostWaiting) {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(threads, threads, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(mostWaiting), factory);
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

}
