package io.holdfast.aspectj;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import io.holdfast.aop.LocalApplication;
import io.holdfast.autoconfigure.FailureAnalyses;
import org.aspectj.weaver.tools.GeneratedClassHandler;
import org.aspectj.weaver.tools.WeavingAdaptor;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.OverridingClassLoader;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks that AspectJ has woven into a class before it is loaded, in a JVM without its
 * agent.
 */
class CompiledWeavingTests {

	private static ApplicationContextRunner application(Class<?> bean) {
		return LocalApplication.with(bean).withPropertyValues("holdfast.aspect.mode=aspectj");
	}

	@Test
	void classThatIsWovenAtCompileTimeNeedsNoAgent() throws ClassNotFoundException {
		Class<?> woven = new Weaver().loadClass(HeldInside.class.getName());
		application(woven).run((context) -> assertThat(((Callable<?>) context.getBean(woven)).call()).isEqualTo(1));
		application(woven).withPropertyValues("spring.main.lazy-initialization=true")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void classThatIsNotWovenIsRefused() {
		FailureAnalyses.assertThatStartFails(application(HeldInside.class),
				(analysis) -> assertThat(analysis.getDescription()).contains("has woven no bean when it was compiled"));
	}

	/**
	 * Loads one class as AspectJ's compiler makes it.
	 */
	private static final class Weaver extends OverridingClassLoader implements GeneratedClassHandler {

		Weaver() {
			super(HeldInside.class.getClassLoader());
		}

		@Override
		protected boolean isEligibleForOverriding(String className) {
			return className.equals(HeldInside.class.getName());
		}

		@Override
		protected InputStream openStreamForClass(String name) {
			return getParent().getResourceAsStream(ClassUtils.convertClassNameToResourcePath(name) + ".class");
		}

		@Override
		protected byte[] transformIfNecessary(String name, byte[] bytes) {
			URL aspects = DistributedLockAspect.class.getProtectionDomain().getCodeSource().getLocation();
			URL[] classPath = Stream
				.concat(Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)),
						Stream.of(System.getProperty("java.home") + "/lib/jrt-fs.jar"))
				.map(Weaver::url)
				.toArray(URL[]::new);
			try {
				return new WeavingAdaptor(this, classPath, new URL[] { aspects }).weaveClass(name, bytes);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		private static URL url(String file) {
			try {
				return Path.of(file).toUri().toURL();
			}
			catch (MalformedURLException ex) {
				throw new IllegalArgumentException(ex);
			}
		}

		@Override
		public void acceptClass(String name, byte[] originalBytes, byte[] wovenBytes) {
			defineClass(name, wovenBytes, 0, wovenBytes.length);
		}

	}

}
