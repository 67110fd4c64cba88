package io.holdfast.aop;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A class that was compiled without parameter names.
 */
final class NamelessClass {

	private NamelessClass() {
	}

	/**
	 * Compile a class with a locked {@code method(String order)}.
	 */
	static Class<?> compile(Path directory, String key) {
		try {
			Path source = Files.writeString(directory.resolve("Nameless.java"), """
					package example;

					public class Nameless {

						@io.holdfast.DistributedLock(key = "%s")
						public void method(String order) {
						}

					}
					""".formatted(key));
			int status = ToolProvider.getSystemJavaCompiler()
				.run(null, null, null, "-proc:none", "-classpath", System.getProperty("java.class.path"), "-d",
						directory.toString(), source.toString());
			assertThat(status).isZero();
			return load(directory);
		}
		catch (IOException | ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@SuppressWarnings("resource") // the class needs it for as long as it lives
	private static Class<?> load(Path directory) throws MalformedURLException, ClassNotFoundException {
		URL[] urls = { directory.toUri().toURL() };
		return new URLClassLoader(urls, NamelessClass.class.getClassLoader()).loadClass("example.Nameless");
	}

}
