package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.OnFailure;
import io.holdfast.RunOnce;
import io.holdfast.aop.RefusedMethods.Refused;
import io.holdfast.autoconfigure.FailureAnalyses;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.core.test.tools.SourceFile;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Annotations that cannot work. The words of each message are checked elsewhere.
 */
class BadAnnotationTests {

	static Stream<Method> refused() {
		return RefusedMethods.in(Attributes.class, Expressions.class, Fallbacks.class, FallbackOfClass.class,
				WithoutEnd.class);
	}

	@ParameterizedTest
	@MethodSource("refused")
	void isRefused(Method method) {
		RefusedMethods.assertRefused(method, method.getAnnotation(Refused.class).value());
	}

	@Test
	void applicationDoesNotStartWithAMisfitBehindAnInterface() {
		FailureAnalyses.assertThatStartFails(
				LocalApplication.with(MisfitBehindInterface.class)
					.withPropertyValues("spring.aop.proxy-target-class=false"),
				(analysis) -> assertThat(analysis.getDescription())
					.contains(MisfitBehindInterface.class.getName() + ".method("));
	}

	/**
	 * A generated class has the parameter names of its interface.
	 */
	@Test
	void whatCanWorkIsAccepted() {
		Client generated = (Client) Proxy.newProxyInstance(Client.class.getClassLoader(),
				new Class<?>[] { Client.class },
				(proxy, method, args) -> method.getName().equals("call") ? "called" : null);
		LocalApplication.with(Fine.class).withBean(Client.class, () -> generated).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Client.class).call("key")).isEqualTo("called");
			assertThat(context.getBean(Fine.class).finished().getBody()).isEqualTo("done");
		});
	}

	// Class files without parameter names

	private static void withNameless(String key, Consumer<Method> test) {
		TestCompiler.forSystem()
			.withSources(SourceFile.of("""
					package example;

					public class Nameless {

						@io.holdfast.DistributedLock(key = "%s")
						public void method(String order) {
						}

					}
					""".formatted(key)))
			.compile((compiled) -> test.accept(compiled.getInstance(Object.class).getClass().getDeclaredMethods()[0]));
	}

	@Test
	void parameterWithoutName() {
		withNameless("#order", (method) -> RefusedMethods.assertRefused(method, "'key'", "#order", "-parameters"));
		withNameless("#p1", (method) -> RefusedMethods.assertRefused(method, "'key'", "#p1", "#p0"));
		withNameless("#p0 + #a0",
				(method) -> LocalApplication.with(method.getDeclaringClass())
					.withClassLoader(method.getDeclaringClass().getClassLoader())
					.run((context) -> assertThat(context).hasNotFailed()));
	}

	// Several templates

	@Test
	void templatesOfWhichNoneIsPrimaryAreNamed() {
		ApplicationContextRunner several = LocalApplication.with()
			.withBean("one", LockTemplate.class, () -> mock(LockTemplate.class))
			.withBean("other", LockTemplate.class, () -> mock(LockTemplate.class));
		FailureAnalyses.assertThatStartFails(several.withUserConfiguration(Locked.class), (analysis) -> {
			assertThat(analysis.getDescription()).contains("[one, other]");
			assertThat(analysis.getAction()).contains("@Primary");
		});
		several.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void templateThatIsDefinedAfterHoldfastsIsNotIgnored() {
		FailureAnalyses.assertThatStartFails(
				LocalApplication.with(Locked.class).withConfiguration(AutoConfigurations.of(LaterTemplate.class)),
				(analysis) -> assertThat(analysis.getDescription()).contains("[holdfastLockTemplate, later]"));
	}

	interface Attributes {

		@Refused({ "'name'", "#id" })
		@DistributedLock(name = "#id")
		void parameterAsName();

		@Refused({ "'name'", "order:#id" })
		@DistributedLock(name = "order:#id")
		void parameterInName(String id);

		@Refused({ "'name'", "${jobs.name}" })
		@DistributedLock(name = "${jobs.name}", key = "'k'")
		void placeholderAsName();

		@Refused({ "'permits'", "-1" })
		@DistributedLock(key = "'k'", permits = -1)
		void negativePermits();

		@Refused({ "'permits'", "'permitsString'" })
		@DistributedLock(key = "'k'", permits = 2, permitsString = "2")
		void permitsTwice();

		@Refused({ "'fair'", "{#from, #to}" })
		@DistributedLock(key = "{#from, #to}", fair = true)
		void fairForSeveralKeys(String from, String to);

		@Refused({ "@RunOnce", "'per'", "\"0\"" })
		@RunOnce(per = "0")
		void noInterval();

		@Refused({ "'per'", "\"\"" })
		@RunOnce(per = "")
		void emptyInterval();

	}

	interface Expressions {

		@Refused({ "'condition'", "#urgnt" })
		@DistributedLock(key = "#order", condition = "#order != null and #urgnt")
		void noParameterInTheCondition(String order);

		@Refused({ "#order", "#root" })
		@DistributedLock(key = "'a' + #order")
		void whereThereAreNoParameters();

		@Refused("#p1")
		@DistributedLock(key = "#a0 + #p1")
		void positionThatIsNotThere(String order);

		@Refused("'order:#{#order}'")
		@DistributedLock(key = "'order:#{#order}'")
		void expressionInALiteral(String order);

		@Refused({ "${tenant}", "@environment" })
		@DistributedLock(key = "'${tenant}' + #order")
		void placeholder(String order);

	}

	static class Fallbacks {

		@Refused("Fallbacks.ofObject(Object)")
		@DistributedLock(key = "'k'", fallback = "ofObject")
		void withOtherParameters(String argument) {
		}

		@Refused("Fallbacks.ofRuntimeException(String, RuntimeException)")
		@DistributedLock(key = "'k'", fallback = "ofRuntimeException")
		void withAnotherException(String argument) {
		}

		@Refused({ "Fallbacks.text()", "return int" })
		@DistributedLock(key = "'k'", fallback = "text")
		int ofTheWrongType() {
			return 0;
		}

		@Refused("returns void")
		@DistributedLock(key = "'k'", fallback = "nothing")
		Object withoutAResult() {
			return "";
		}

		@Refused("List<java.lang.Integer>")
		@DistributedLock(key = "'k'", fallback = "texts")
		List<Integer> withOtherElements() {
			return List.of();
		}

		@Refused("itself")
		@DistributedLock(key = "'k'", fallback = "itself")
		void itself() {
		}

		@Refused("onFailure = SKIP")
		@DistributedLock(key = "'k'", fallback = "nothing", onFailure = OnFailure.SKIP)
		void besidesSkip() {
		}

		void ofObject(Object argument) {
		}

		void ofRuntimeException(String argument, RuntimeException failure) {
		}

		void nothing() {
		}

		String text() {
			return "";
		}

		List<String> texts() {
			return List.of();
		}

	}

	@DistributedLock(key = "'k'", fallback = "other")
	static class FallbackOfClass {

		public void fit() {
		}

		@Refused("FallbackOfClass.other()")
		public void misfit(String argument) {
		}

		@Refused("itself")
		public void other() {
		}

	}

	interface WithoutEnd {

		@Refused("CompletionStage")
		@DistributedLock("'key'")
		Future<String> future();

		@Refused("CompletableFuture")
		@DistributedLock("'key'")
		Callable<String> callable();

		@Refused("DeferredResult")
		@DistributedLock("'key'")
		DeferredResult<String> deferred();

		@Refused("StreamingResponseBody")
		@DistributedLock("'key'")
		StreamingResponseBody streamed();

		@Refused("SseEmitter")
		@DistributedLock("'key'")
		SseEmitter sent();

		@Refused("StreamingResponseBody")
		@DistributedLock("'key'")
		ResponseEntity<StreamingResponseBody> streamedBody();

		@Refused("Flux")
		@DistributedLock("'key'")
		Mono<ResponseEntity<Flux<String>>> publishedBodyLater();

		@Refused("CompletableFuture")
		@DistributedLock("'key'")
		List<CompletableFuture<String>> futures();

	}

	interface Service {

		void method(String argument);

	}

	@DistributedLock(key = "'k'", fallback = "other")
	static class MisfitBehindInterface implements Service {

		@Override
		public void method(String argument) {
		}

		void other() {
		}

	}

	static class Fine {

		@DistributedLock(key = "#root.method.name + method.name + #root.targetClass.simpleName + args.length + target")
		void root() {
		}

		@DistributedLock(key = "#orders.![id]", condition = "#orders.?[id != null and #limit > 0].size() > 0")
		void projection(List<Order> orders, int limit) {
		}

		@DistributedLock(key = "#map[order] + #map['order'] + #map[#key]")
		void map(Map<String, String> map, String key) {
		}

		@DistributedLock(key = "#p9", condition = "#p9 matches '#{2,}'")
		void namedLikeAPosition(String p9) {
		}

		@DistributedLock(key = "'k'", fallback = "other")
		<T> List<T> generic(T value) {
			return List.of(value);
		}

		<T> List<T> other(T value) {
			return List.of(value);
		}

		@DistributedLock(key = "'k'", fallback = "integers")
		List<? extends Number> wildcard() {
			return List.of();
		}

		private List<Integer> integers() {
			return List.of();
		}

		@DistributedLock(key = "'k'", fallback = "subtype")
		Object object(int... numbers) {
			return numbers;
		}

		private int subtype(int[] numbers, LockNotAcquiredException failure) {
			return numbers.length;
		}

		@DistributedLock("'key'")
		ResponseEntity<String> finished() {
			return ResponseEntity.ok("done");
		}

		@DistributedLock("'key'")
		ResponseEntity<?> finishedWithout() {
			return ResponseEntity.ok().build();
		}

	}

	interface Client {

		@DistributedLock(key = "#key")
		String call(String key);

	}

	record Order(String id) {

	}

	static class Locked {

		@DistributedLock("'k'")
		void method() {
		}

	}

	@AutoConfiguration(after = HoldfastAutoConfiguration.class)
	static class LaterTemplate {

		@Bean
		LockTemplate later(LockRegistry registry) {
			return new LockTemplate(registry);
		}

	}

}
