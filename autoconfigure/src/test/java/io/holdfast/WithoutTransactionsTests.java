package io.holdfast;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The template where spring-tx is not on the class path.
 */
class WithoutTransactionsTests {

	private final ClassLoader withoutTransactions = new WithoutTransactions(getClass().getClassLoader());

	@Test
	void templateWorks() throws Exception {
		Class<?> type = this.withoutTransactions.loadClass(LocksWithoutTransactions.class.getName());
		assertThat(type).isNotEqualTo(LocksWithoutTransactions.class);
		Constructor<?> constructor = type.getDeclaredConstructor();
		constructor.setAccessible(true);
		assertThat(((Callable<?>) constructor.newInstance()).call()).hasToString("RELEASED");
	}

	/**
	 * Loads this project's classes anew, and nothing of spring-tx.
	 */
	private static final class WithoutTransactions extends ClassLoader {

		private WithoutTransactions(ClassLoader parent) {
			super(parent);
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (name.startsWith("org.springframework.transaction.")) {
				throw new ClassNotFoundException(name);
			}
			if (!name.startsWith("io.holdfast.")) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : define(name);
			}
		}

		private Class<?> define(String name) throws ClassNotFoundException {
			try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
				if (file == null) {
					throw new ClassNotFoundException(name);
				}
				byte[] bytes = file.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
