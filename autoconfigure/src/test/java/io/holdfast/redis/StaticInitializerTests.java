package io.holdfast.redis;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * A class that a {@link StackOverflowError} hits while it is initialized can never be
 * used again. So those that callers may be the first to use, with little left of the
 * stack, have no static initializer, or are initialized with the store.
 */
@Tag("any-jdk")
class StaticInitializerTests {

	private static final String PACKAGE = RedisLockStore.class.getPackageName();

	private static final int SMALL_STACK = 256 * 1024;

	@Test
	void noClassIsSpoiledByWhoHasUsedUpTheStack() throws Exception {
		try (OwnClasses classes = new OwnClasses()) {
			createStores(classes);
			List<String> names = names();
			assertThat(names).contains(PACKAGE + ".subscription.WakeUpSubscription");
			for (String name : names) {
				Class.forName(name, false, classes);
				FutureTask<Void> user = new FutureTask<>(() -> whereTheStackEnds(() -> use(classes, name)), null);
				new Thread(null, user, "user-of-" + name, SMALL_STACK).start();
				assertThatCode(() -> user.get(1, TimeUnit.MINUTES)).as(name).doesNotThrowAnyException();
			}
		}
	}

	/**
	 * Do something with next to nothing left of the stack, and again with a little more,
	 * until there is enough.
	 */
	private static void whereTheStackEnds(Runnable action) {
		try {
			whereTheStackEnds(action);
		}
		catch (StackOverflowError ex) {
			action.run();
		}
	}

	private static void use(ClassLoader classes, String name) {
		try {
			Class.forName(name, true, classes);
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void createStores(ClassLoader classes) throws ReflectiveOperationException {
		JedisConnectionFactory connections = new JedisConnectionFactory();
		Class<?> acks = classes.loadClass(PACKAGE + ".ReplicaAcks");
		Class<?> views = classes.loadClass(PACKAGE + ".RedisLockStore$ViewFactory");
		Constructor<?> view = classes.loadClass(PACKAGE + ".inspect.RedisView").getConstructors()[0];
		classes.loadClass(PACKAGE + ".RedisLockStore")
			.getConstructor(RedisConnectionFactory.class, String.class, Duration.class, acks, views)
			.newInstance(connections, "holdfast", Duration.ofHours(1), acks.getField("NONE").get(null),
					Proxy.newProxyInstance(classes, new Class<?>[] { views },
							(proxy, method, arguments) -> view.newInstance(arguments)));
		Constructor<?> node = classes.loadClass(PACKAGE + ".quorum.QuorumNode").getConstructors()[0];
		classes.loadClass(PACKAGE + ".quorum.QuorumLockStore")
			.getConstructor(List.class, String.class, Duration.class, int.class, Duration.class)
			.newInstance(List.of(node.newInstance("node", connections)), "holdfast", Duration.ofHours(1), 1,
					Duration.ofMillis(50));
	}

	/**
	 * Return the names of the classes that have a static initializer.
	 */
	private static List<String> names() throws IOException {
		Resource[] classes = new PathMatchingResourcePatternResolver().getResources(
				"file:" + mainClasses().getPath() + ClassUtils.convertClassNameToResourcePath(PACKAGE) + "/**/*.class");
		List<String> names = new ArrayList<>();
		for (Resource file : classes) {
			String path = file.getURL().getPath();
			String name = ClassUtils.convertResourcePathToClassName(
					path.substring(mainClasses().getPath().length(), path.length() - ".class".length()));
			if (file.getContentAsString(StandardCharsets.ISO_8859_1).contains("<clinit>")) {
				names.add(name);
			}
		}
		return names;
	}

	private static URL mainClasses() {
		return RedisLockStore.class.getProtectionDomain().getCodeSource().getLocation();
	}

	/**
	 * Loads the project's classes once more: nothing of them is initialized.
	 */
	private static final class OwnClasses extends URLClassLoader {

		private OwnClasses() {
			super(new URL[] { mainClasses() }, StaticInitializerTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.startsWith("io.holdfast.")) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : findClass(name);
			}
		}

	}

}
