package io.holdfast.aop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;

import io.holdfast.DistributedLock;
import io.holdfast.LockRegistry;
import io.holdfast.LockSnapshot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Annotations on classes, interfaces and other annotations.
 */
class AnnotationPlacesTests {

	private static AnnotationConfigApplicationContext context;

	@BeforeAll
	static void startApplication() {
		context = LocalApplication.start(OnClass.class, OnInterfaceImplementation.class, StringHandler.class,
				Inheriting.class, Composing.class);
	}

	@AfterAll
	static void stopApplication() {
		context.close();
	}

	private static List<String> keys(LockRegistry registry) {
		return registry.held().stream().map(LockSnapshot::keys).flatMap(List::stream).toList();
	}

	@Test
	void annotationOnTheClassStandsForItsPublicMethods() {
		OnClass onClass = context.getBean(OnClass.class);
		assertThat(onClass.locked()).containsExactly("on-class");
		assertThat(onClass.ownAnnotation()).containsExactly("own");
		assertThat(onClass.notPublic()).isEmpty();
	}

	@Test
	void annotationOnAnInterfaceAndComposedAnnotationsAreFound() {
		assertThat(context.getBean(OnInterface.class).locked("i")).containsExactly("i");
		assertThat(context.getBean(Composing.class).composed("c")).containsExactly("composed:c");
	}

	@Test
	void methodsCalledThroughBridgesAreLocked() {
		Handler<String> handler = context.getBean(StringHandler.class);
		assertThat(handler.handle("g")).containsExactly("g");
		assertThat(context.getBean(Inheriting.class).inherited()).containsExactly("inherited");
	}

	@DistributedLock(key = "'on-class'")
	static class OnClass {

		private final LockRegistry registry;

		OnClass(LockRegistry registry) {
			this.registry = registry;
		}

		public List<String> locked() {
			return held();
		}

		@DistributedLock(key = "'own'")
		public List<String> ownAnnotation() {
			return held();
		}

		List<String> notPublic() {
			return held();
		}

		private List<String> held() {
			return keys(this.registry);
		}

	}

	interface OnInterface {

		@DistributedLock(key = "#key")
		List<String> locked(String key);

	}

	static class OnInterfaceImplementation implements OnInterface {

		private final LockRegistry registry;

		OnInterfaceImplementation(LockRegistry registry) {
			this.registry = registry;
		}

		@Override
		public List<String> locked(String key) {
			return keys(this.registry);
		}

	}

	interface Handler<T> {

		List<String> handle(T value);

	}

	static class StringHandler implements Handler<String> {

		private final LockRegistry registry;

		StringHandler(LockRegistry registry) {
			this.registry = registry;
		}

		@Override
		@DistributedLock(key = "#value")
		public List<String> handle(String value) {
			return keys(this.registry);
		}

	}

	static class Inherited {

		private final LockRegistry registry;

		Inherited(LockRegistry registry) {
			this.registry = registry;
		}

		@DistributedLock(key = "'inherited'")
		public List<String> inherited() {
			return keys(this.registry);
		}

	}

	public static class Inheriting extends Inherited {

		Inheriting(LockRegistry registry) {
			super(registry);
		}

	}

	static class Composing {

		private final LockRegistry registry;

		Composing(LockRegistry registry) {
			this.registry = registry;
		}

		@Composed("#key")
		List<String> composed(String key) {
			return keys(this.registry);
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "composed")
	@interface Composed {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String value();

	}

}
