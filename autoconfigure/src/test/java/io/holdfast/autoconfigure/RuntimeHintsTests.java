package io.holdfast.autoconfigure;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.function.Predicate;

import io.holdfast.DistributedLock;
import io.holdfast.actuate.HolderDescriptor;
import io.holdfast.actuate.LockDescriptor;
import io.holdfast.actuate.LocksDescriptor;
import io.holdfast.actuate.OwnerDescriptor;
import io.holdfast.actuate.WaiterDescriptor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a native image is told to keep, whatever the application.
 */
class RuntimeHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	@BeforeEach
	void registerHints() {
		register(this.hints, getClass().getClassLoader());
	}

	@Test
	void everyScript() throws IOException {
		Resource[] scripts = new PathMatchingResourcePatternResolver().getResources("classpath*:io/holdfast/**/*.lua");
		assertThat(scripts).hasSizeGreaterThan(10).allSatisfy((script) -> {
			String path = script.getURL().getPath();
			assertThat(this.hints).matches(
					RuntimeHintsPredicates.resource().forResource(path.substring(path.lastIndexOf("io/holdfast/"))),
					"covers " + path);
		});
		assertThat(this.hints)
			.matches(RuntimeHintsPredicates.resource().forResource("io/holdfast/redis/other.txt").negate());
	}

	@Test
	void attributesOfTheAnnotation() {
		assertThat(Arrays.asList(DistributedLock.class.getDeclaredMethods())).isNotEmpty()
			.allSatisfy((attribute) -> assertThat(this.hints)
				.matches(RuntimeHintsPredicates.reflection().onMethodInvocation(attribute)));
	}

	@Test
	void theProxyThatAMergedAnnotationIs() {
		DistributedLock merged = MergedAnnotations.from(Annotated.class).get(DistributedLock.class).synthesize();
		assertThat(merged.getClass()).matches(Proxy::isProxyClass);
		assertThat(this.hints)
			.matches(RuntimeHintsPredicates.proxies().forInterfaces(merged.getClass().getInterfaces()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "method", "target", "targetClass", "args" })
	void theRootObjectOfExpressions(String property) throws ClassNotFoundException {
		assertThat(this.hints)
			.matches(RuntimeHintsPredicates.reflection().onMethodInvocation("io.holdfast.aop.LockCall", property));
	}

	@ParameterizedTest
	@ValueSource(classes = { LocksDescriptor.class, LockDescriptor.class, OwnerDescriptor.class, HolderDescriptor.class,
			WaiterDescriptor.class })
	void whatTheEndpointAnswers(Class<?> body) {
		assertThat(Arrays.asList(body.getRecordComponents())).isNotEmpty()
			.allSatisfy((component) -> assertThat(this.hints)
				.matches(RuntimeHintsPredicates.reflection().onMethodInvocation(component.getAccessor())));
	}

	@Test
	void nothingOfTheEndpointWithoutActuator() {
		RuntimeHints withoutIt = new RuntimeHints();
		register(withoutIt, new FilteredClassLoader("org.springframework.boot.actuate"));
		assertThat(withoutIt).matches(RuntimeHintsPredicates.reflection().onType(LocksDescriptor.class).negate());
	}

	@ParameterizedTest
	@ValueSource(strings = { "reactor.core.publisher.Flux",
			"org.springframework.transaction.support.TransactionSynchronizationManager" })
	void optionalClassesThatAreLookedForByName(String name) {
		Predicate<RuntimeHints> known = RuntimeHintsPredicates.reflection().onType(TypeReference.of(name));
		assertThat(this.hints).matches(known);
		RuntimeHints withoutIt = new RuntimeHints();
		register(withoutIt, new FilteredClassLoader(ClassUtils.getPackageName(name)));
		assertThat(withoutIt).matches(known.negate());
	}

	private static void register(RuntimeHints hints, ClassLoader classLoader) {
		AotServices.factories()
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar.getClass().getName().startsWith("io.holdfast."))
			.forEach((registrar) -> registrar.registerHints(hints, classLoader));
	}

	@DistributedLock("'key'")
	private static final class Annotated {

	}

}
