package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
class ExpressionCheckTests {

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
		LocalApplication.with(Fine.class)
			.withBean("tenants", StringBuilder.class)
			.run((context) -> assertThat(context).hasNotFailed());
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

		@Refused(
				problem = "refers to \"#ids\", which is long[], and it is not clear whether that means one key or several: \"#ids\"",
				action = "Write \"#ids.![#this]\" for a key for each element, or \"T(java.util.Arrays).toString(#ids)\" for one key.")
		@DistributedLock("#ids")
		void arrayOfPrimitives(long[] ids) {
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

		@Refused(problem = "refers to \"#hash(#order)\", but functions are not supported: \"#hash(#order)\"",
				action = "Call a method instead: of a parameter (\"#order.key()\"), a bean (\"@keys.of(#order)\") or a class (\"T(com.example.Keys).of(#order)\").")
		@DistributedLock(key = "#hash(#order)")
		void functionWhereThereAreNone(String order) {
		}

		@Refused(problem = "refers to \"order\", which is neither a parameter nor a literal: \"order\"",
				action = "Put a literal in quotes (\"'order'\"), and a hash before a parameter (\"#order\").")
		@DistributedLock(key = "order")
		void bareWord(String order) {
		}

		@Refused(problem = "refers to \"nightly\", which is neither a parameter nor a literal: \"nightly-run\"",
				action = "Put a literal in quotes (\"'nightly-run'\"), and a hash before a parameter (\"#nightly\").")
		@DistributedLock(key = "nightly-run")
		void bareWordsWithADash() {
		}

		@Refused(
				problem = "refers to \"order\", which is neither a parameter nor a literal: \"order.bytes + '-' + #order\"",
				action = "Put a literal in quotes (\"'order'\"), and a hash before a parameter (\"#order\").")
		@DistributedLock(key = "order.bytes + '-' + #order")
		void bareProperty(String order) {
		}

		@Refused(problem = "refers to \"methodName\", which #root does not have: \"#root.methodName\"",
				action = "Use one of its properties: method, target, targetClass, args.")
		@DistributedLock(key = "#root.methodName")
		void propertyThatTheRootDoesNotHave() {
		}

		@Refused(problem = "refers to \"tenant(...)\", which is called without an object: \"tenant()\"",
				action = "Call it on a parameter (\"#order.tenant()\"), a bean (\"@orders.tenant()\") or the object with the method (\"#root.target.tenant()\").")
		@DistributedLock(key = "tenant()")
		void bareCall() {
		}

		@Refused(
				problem = "refers to \"#order.di\", which io.holdfast.aop.ExpressionCheckTests$Order does not have: \"'a' + #order.di\"",
				action = "Use a property of Order, with a getter, an accessor of that name, or a public field.")
		@DistributedLock(key = "'a' + #order.di")
		void propertyThatARecordDoesNotHave(Order order) {
		}

		@Refused(attribute = "condition",
				problem = "refers to \"@tenants\", which is not the name of a bean: \"@tenants.has(#key)\"",
				action = "Use the name of a bean of the application context, or define a bean named 'tenants'.")
		@DistributedLock(key = "#key", condition = "@tenants.has(#key)")
		void beanThatIsNotThere(String key) {
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

		@Refused(problem = "refers to \"#root\", which is the call itself, and another one each time: \"#root\"",
				action = "Use one of its properties: method, target, targetClass, args.")
		@DistributedLock(key = "#root")
		void theCall() {
		}

		@Refused(problem = "refers to \"#this\", which is the call itself, and another one each time: \"{'a', #this}\"",
				action = "Use one of its properties: method, target, targetClass, args.")
		@DistributedLock(key = "{'a', #this}")
		void theCallInAList() {
		}

		@Refused(problem = "refers to \"#root\", which is the call itself, and another one each time: \"'a' + #root\"",
				action = "Use one of its properties: method, target, targetClass, args.")
		@DistributedLock(key = "'a' + #root")
		void theCallInAText() {
		}

		@Refused(
				problem = "refers to \"#root\", which is the call itself, and another one each time: \"#root.args.![#root]\"",
				action = "Use one of its properties: method, target, targetClass, args.")
		@DistributedLock(key = "#root.args.![#root]")
		void theCallForEachElement() {
		}

	}

	static final class Odd {

		public String getxId() {
			return "x";
		}

		public String getaB() {
			return "ab";
		}

	}

	static class Fine {

		@DistributedLock(key = "#root.method.name + method.name + #root.targetClass.simpleName + args.length + target")
		void root() {
		}

		@DistributedLock(key = "#this.method.name + args[0] + #root.args[0] + #root.method().name + targetClass()")
		void rootOtherwise(String argument) {
		}

		@DistributedLock(key = "@tenants.append(#root) + #this.target.equals(#this) + #root.args.![#this]")
		void rootAsArgument(String argument) {
		}

		@DistributedLock(key = "#orders.![id]", condition = "#orders.?[id != null and #limit > 0].size() > 0")
		void projection(List<Order> orders, int limit) {
		}

		@DistributedLock(key = "#orders.![{id, #this.id, toString(), #root.method.name, #limit}][0]")
		void insideOfProjection(List<Order> orders, int limit) {
		}

		@DistributedLock(key = "#orders.![#prefix.concat(id)]")
		void argumentInsideOfProjection(List<Order> orders, String prefix) {
		}

		@DistributedLock(key = "#orders.^[id != null]?.id ?: 'none'")
		void firstOf(List<Order> orders) {
		}

		@DistributedLock(key = "#map[order] + #map['order'] + #map[#key]")
		void map(Map<String, String> map, String key) {
		}

		@DistributedLock(key = "{order: #key, 'b': 1}[order]")
		void mapInTheExpression(String key) {
		}

		@DistributedLock(key = "T(java.util.UUID).randomUUID() + new java.lang.String('a') + @tenants.current(#key)")
		void typesAndBeans(String key) {
		}

		@DistributedLock(key = "#key?.isBlank() ? 'blank' : {#key, #p0, #a0}", condition = "#key matches '[a-z]+'")
		void operators(String key) {
		}

		@DistributedLock(key = "#p9")
		void namedLikeAPosition(String p9) {
		}

		@DistributedLock(key = "#order?.id + #odd.xId + #odd.aB")
		void optional(Optional<Order> order, Odd odd) {
		}

		@DistributedLock(key = "@environment.getProperty('tenant') + #order")
		void environment(String order) {
		}

		@DistributedLock(key = "#order", condition = "#order matches '#{2,}'")
		void repeated(String order) {
		}

		@DistributedLock(key = "#order.id instanceof T(String)")
		void instance(Order order) {
		}

		@DistributedLock(key = "#text.empty + #text.bytes.length + #numbers.length + #number.class + #any.whatever")
		void properties(String text, int[] numbers, int number, Object any) {
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
