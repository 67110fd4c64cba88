package io.holdfast.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.TestCompiler;

/**
 * An application that was processed ahead of time, as a build does it. Whoever runs it
 * needs a class loader for itself, since the generated classes belong to packages that
 * are there already.
 */
public final class ProcessedApplication {

	private final TestGenerationContext generation = new TestGenerationContext(ProcessedApplication.class);

	private final String initializer;

	/**
	 * Process an application.
	 * @param properties properties that are known in its build
	 * @param beans classes of its own
	 */
	public ProcessedApplication(List<String> properties, Class<?>... beans) {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try (AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext()) {
			TestPropertyValues.of(properties).applyTo(application);
			application.register(PropertyPlaceholderAutoConfiguration.class);
			Arrays.stream(beans).forEach(application::registerBean);
			application.register(HoldfastAutoConfiguration.class);
			this.initializer = new ApplicationContextAotGenerator().processAheadOfTime(application, this.generation)
				.reflectionName();
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
		this.generation.writeGeneratedContent();
	}

	RuntimeHints hints() {
		return this.generation.getRuntimeHints();
	}

	/**
	 * Compile what was generated, which takes long, and use that.
	 */
	public void compile(Consumer<Starter> use) {
		TestCompiler.forSystem().with(this.generation).compile((compiled) -> use.accept((properties, started) -> {
			try (GenericApplicationContext application = new GenericApplicationContext()) {
				TestPropertyValues.of(properties).applyTo(application);
				initializer(compiled.getInstance(ApplicationContextInitializer.class, this.initializer))
					.initialize(application);
				application.refresh();
				started.accept(application);
			}
		}));
	}

	@SuppressWarnings("unchecked")
	private static ApplicationContextInitializer<GenericApplicationContext> initializer(Object generated) {
		return (ApplicationContextInitializer<GenericApplicationContext>) generated;
	}

	/**
	 * Starts an application.
	 */
	public interface Starter {

		/**
		 * Start the application, and end it again.
		 * @param properties properties that are known only where it runs
		 * @param started what to do with it
		 */
		void run(List<String> properties, Consumer<GenericApplicationContext> started);

	}

}
