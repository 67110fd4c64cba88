package io.holdfast.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;

import org.jspecify.annotations.Nullable;

/**
 * What a thread has of who started it.
 */
public record Inherited(String thread, @Nullable String user, @Nullable ClassLoader classLoader) {

	private static final InheritableThreadLocal<@Nullable String> currentUser = new InheritableThreadLocal<>();

	public static Inherited here() {
		Thread thread = Thread.currentThread();
		return new Inherited(thread.getName(), currentUser.get(), thread.getContextClassLoader());
	}

	/**
	 * Do something as a user of another class loader.
	 */
	public static void give(Runnable action) {
		ClassLoader mine = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader other = new URLClassLoader(new URL[0], mine)) {
			Thread.currentThread().setContextClassLoader(other);
			currentUser.set("somebody");
			action.run();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			currentUser.remove();
			Thread.currentThread().setContextClassLoader(mine);
		}
	}

}
