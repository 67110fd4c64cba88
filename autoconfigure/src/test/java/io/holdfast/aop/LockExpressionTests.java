package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Expressions that are refused at startup, and those that are not.
 */
class LockExpressionTests {

	static Stream<Method> refused() {
		return RefusedMethods.in(RefusedExpressions.class);
	}

	@ParameterizedTest
	@MethodSource("refused")
	void isRefused(Method method) {
		RefusedMethods.assertRefused(method);
	}

	@Test
	void everythingThatCanWorkIsAccepted() {
		LocalApplication.with(Fine.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void generatedClassHasTheParameterNamesOfItsInterface() {
		LocalApplication.with(Generated.class)
			.run((context) -> assertThat(context.getBean(Client.class).call("key")).isEqualTo("called"));
	}

	@Test
	void classWithoutParameterNames(@TempDir Path directory) {
		Class<?> type = NamelessClass.compile(directory, "#order");
		RefusedMethods.assertRefused(type, type.getDeclaredMethods()[0], "key",
				"refers to \"#order\", but the class file has no parameter names: \"#order\"",
				"Compile with the option '-parameters' (Maven: set the property"
						+ " 'maven.compiler.parameters' to 'true'; Gradle: \"options.compilerArgs.add('-parameters')\";"
						+ " Kotlin: '-java-parameters'), or name the parameter by its position: #p0 is the first.");
	}

	@Test
	void positionInAClassWithoutParameterNames(@TempDir Path directory) {
		Class<?> fine = NamelessClass.compile(directory, "#p0 + #a0");
		LocalApplication.with(fine)
			.withClassLoader(fine.getClassLoader())
			.run((context) -> assertThat(context).hasNotFailed());
		Class<?> bad = NamelessClass.compile(directory, "#p1");
		RefusedMethods.assertRefused(bad, bad.getDeclaredMethods()[0], "key",
				"refers to \"#p1\", which is not a parameter of the method: \"#p1\"", "Use a parameter: #p0.");
	}

	static class RefusedExpressions {

		@Refused(
				problem = "is not a valid SpEL expression: \"#order.\" (Expression [#order.] @6: EL1044E: Unexpectedly ran out of input)",
				action = "Correct the expression. Parameters are written as \"#order.id\", literals in quotes as \"'orders'\".")
		@DistributedLock(key = "#order.")
		void textThatIsNoExpression() {
		}

		@Refused(problem = "refers to \"#ordr\", which is not a parameter of the method: \"#ordr.id\"",
				action = "Use a parameter: #order, #quantity (or #p0 to #p1).")
		@DistributedLock(key = "#ordr.id")
		void nameThatIsNoParameter(String order, int quantity) {
		}

		@Refused(attribute = "condition",
				problem = "refers to \"#urgnt\", which is not a parameter of the method: \"#order != null and #urgnt\"",
				action = "Use a parameter: #order (or #p0).")
		@DistributedLock(key = "#order", condition = "#order != null and #urgnt")
		void nameThatIsNoParameterOfTheCondition(String order) {
		}

		@Refused(problem = "refers to \"#order\", which is not a parameter of the method: \"'a' + #order\"",
				action = "Use a property of '#root' or a literal: the method has no parameters.")
		@DistributedLock(key = "'a' + #order")
		void nameWhereThereAreNoParameters() {
		}

		@Refused(problem = "refers to \"#p1\", which is not a parameter of the method: \"#a0 + #p1\"",
				action = "Use a parameter: #order (or #p0).")
		@DistributedLock(key = "#a0 + #p1")
		void positionThatIsNotThere(String order) {
		}

		@Refused(problem = "has an expression in a literal, which is not evaluated there: \"'order:#{#order}'\"",
				action = "Write it outside of the literal: \"'order:' + #order.id\".")
		@DistributedLock(key = "'order:#{#order}'")
		void expressionInALiteral(String order) {
		}

		@Refused(problem = "has a placeholder, which is not resolved there: \"'${tenant}' + #order\"",
				action = "Ask the environment: \"@environment.getProperty('tenant') + #order.id\".")
		@DistributedLock(key = "'${tenant}' + #order")
		void placeholder(String order) {
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

		@DistributedLock(key = "#p9")
		void namedLikeAPosition(String p9) {
		}

		@DistributedLock(key = "#order", condition = "#order matches '#{2,}'")
		void repeated(String order) {
		}

	}

	interface Client {

		@DistributedLock(key = "#key")
		String call(String key);

	}

	@Configuration(proxyBeanMethods = false)
	static class Generated {

		@Bean
		Client client() {
			return (Client) Proxy.newProxyInstance(Client.class.getClassLoader(), new Class<?>[] { Client.class },
					(proxy, method, args) -> method.getName().equals("call") ? "called" : null);
		}

	}

	record Order(String id) {

	}

}
