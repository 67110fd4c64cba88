package io.holdfast.autoconfigure;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.holdfast.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Expressions that are refused at startup, and those that are not.
 */
class ExpressionCheckTests {

	private static void assertRefused(Class<?> type, String description, String action) {
		FailureAnalysis analysis = FailedStart.with(type);
		assertThat(analysis.getDescription()).isEqualTo(description.replace("TYPE", type.getName()));
		assertThat(analysis.getAction()).isEqualTo(action);
	}

	@Test
	void textThatIsNoExpression() {
		assertRefused(Unreadable.class,
				"The attribute 'key' of @DistributedLock on TYPE.method() is not a valid SpEL expression:"
						+ " \"#order.\" (Expression [#order.] @6: EL1044E: Unexpectedly ran out of input).",
				"Correct the expression. Parameters are written as \"#order.id\", literals in quotes as \"'orders'\".");
	}

	@Test
	void nameThatIsNoParameter() {
		assertRefused(Misspelt.class,
				"The attribute 'key' of @DistributedLock on TYPE.method(String, int) refers to \"#ordr\", which is not a"
						+ " parameter of the method: \"#ordr.id\".",
				"Use a parameter: #order, #quantity (or #p0 to #p1).");
	}

	@Test
	void nameThatIsNoParameterOfTheCondition() {
		assertRefused(MisspeltCondition.class,
				"The attribute 'condition' of @DistributedLock on TYPE.method(String) refers to \"#urgnt\", which is not"
						+ " a parameter of the method: \"#order != null and #urgnt\".",
				"Use a parameter: #order (or #p0).");
	}

	@Test
	void arrayOfPrimitives() {
		assertRefused(Primitives.class,
				"The attribute 'key' of @DistributedLock on TYPE.method(long[]) refers to \"#ids\", which is long[], and"
						+ " it is not clear whether that means one key or several: \"#ids\".",
				"Write \"#ids.![#this]\" for a key for each element, or \"T(java.util.Arrays).toString(#ids)\" for one"
						+ " key.");
	}

	@Test
	void nameWhereThereAreNoParameters() {
		assertRefused(NoParameters.class,
				"The attribute 'key' of @DistributedLock on TYPE.method() refers to \"#order\", which is not a parameter"
						+ " of the method: \"'a' + #order\".",
				"Use a property of '#root' or a literal: the method has no parameters.");
	}

	@Test
	void positionThatIsNotThere() {
		assertRefused(BadPosition.class,
				"The attribute 'key' of @DistributedLock on TYPE.method(String) refers to \"#p1\", which is not a"
						+ " parameter of the method: \"#a0 + #p1\".",
				"Use a parameter: #order (or #p0).");
	}

	@Test
	void functionWhereThereAreNone() {
		assertRefused(Function.class,
				"The attribute 'key' of @DistributedLock on TYPE.method(String) refers to \"#hash(#order)\", but"
						+ " functions are not supported: \"#hash(#order)\".",
				"Call a method instead: of a parameter (\"#order.key()\"), a bean (\"@keys.of(#order)\") or a class"
						+ " (\"T(com.example.Keys).of(#order)\").");
	}

	@Test
	void bareWord() {
		assertRefused(BareWord.class,
				"The attribute 'key' of @DistributedLock on TYPE.method(String) refers to \"order\", which is neither a"
						+ " parameter nor a literal: \"order\".",
				"Put a literal in quotes (\"'order'\"), and a hash before a parameter (\"#order\").");
	}

	@Test
	void bareWordsWithADash() {
		assertRefused(BareWords.class,
				"The attribute 'key' of @DistributedLock on TYPE.method() refers to \"nightly\", which is neither a"
						+ " parameter nor a literal: \"nightly-run\".",
				"Put a literal in quotes (\"'nightly-run'\"), and a hash before a parameter (\"#nightly\").");
	}

	@Test
	void bareProperty() {
		assertRefused(BareProperty.class,
				"The attribute 'key' of @DistributedLock on TYPE.method(String) refers to \"order\", which is neither a"
						+ " parameter nor a literal: \"order.bytes + '-' + #order\".",
				"Put a literal in quotes (\"'order'\"), and a hash before a parameter (\"#order\").");
	}

	@Test
	void propertyThatTheRootDoesNotHave() {
		assertRefused(RootProperty.class,
				"The attribute 'key' of @DistributedLock on TYPE.method() refers to \"methodName\", which #root does not"
						+ " have: \"#root.methodName\".",
				"Use one of its properties: method, target, targetClass, args.");
	}

	@ParameterizedTest
	@ValueSource(classes = { Root.class, This.class, RootInText.class, RootOfElements.class })
	void callThatIsAnotherOneEachTime(Class<?> type) throws NoSuchMethodException {
		String key = type.getDeclaredMethod("method").getAnnotation(DistributedLock.class).key();
		String name = (type == This.class) ? "#this" : "#root";
		assertRefused(type,
				"The attribute 'key' of @DistributedLock on TYPE.method() refers to \"%s\", which is the call itself, and another one each time: \"%s\"."
					.formatted(name, key),
				"Use one of its properties: method, target, targetClass, args.");
	}

	@Test
	void bareCall() {
		assertRefused(BareCall.class,
				"The attribute 'key' of @DistributedLock on TYPE.method() refers to \"tenant(...)\", which is called"
						+ " without an object: \"tenant()\".",
				"Call it on a parameter (\"#order.tenant()\"), a bean (\"@orders.tenant()\") or the object"
						+ " with the method (\"#root.target.tenant()\").");
	}

	@Test
	void propertyThatARecordDoesNotHave() {
		assertRefused(MisspeltProperty.class,
				"The attribute 'key' of @DistributedLock on TYPE.method(Order) refers to \"#order.di\", which "
						+ Order.class.getName() + " does not have: \"'a' + #order.di\".",
				"Use a property of Order, with a getter, an accessor of that name, or a public field.");
	}

	@Test
	void beanThatIsNotThere() {
		assertRefused(MissingBean.class,
				"The attribute 'condition' of @DistributedLock on TYPE.method(String) refers to \"@tenants\", which is not the"
						+ " name of a bean: \"@tenants.has(#key)\".",
				"Use the name of a bean of the application context, or define a bean named 'tenants'.");
	}

	@Test
	void expressionInALiteral() {
		assertRefused(Template.class,
				"The attribute 'key' of @DistributedLock on TYPE.method(String) has an expression in a literal, which is not"
						+ " evaluated there: \"'order:#{#order}'\".",
				"Write it outside of the literal: \"'order:' + #order.id\".");
	}

	@Test
	void placeholder() {
		assertRefused(Placeholder.class,
				"The attribute 'key' of @DistributedLock on TYPE.method(String) has a placeholder, which is not resolved"
						+ " there: \"'${tenant}' + #order\".",
				"Ask the environment: \"@environment.getProperty('tenant') + #order.id\".");
	}

	@Test
	void everythingThatCanWorkIsAccepted() {
		FailedStart.application(Fine.class)
			.withBean("tenants", StringBuilder.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void generatedClassHasTheParameterNamesOfItsInterface() {
		FailedStart.application(Generated.class)
			.run((context) -> assertThat(context.getBean(Client.class).call("key")).isEqualTo("called"));
	}

	@Test
	void classWithoutParameterNames(@TempDir Path directory) {
		Class<?> type = NamelessClass.compile(directory, "#order");
		FailureAnalysis analysis = FailedStart.of(FailedStart.application(type).withClassLoader(type.getClassLoader()));
		assertThat(analysis.getDescription()).isEqualTo("The attribute 'key' of @DistributedLock on"
				+ " example.Nameless.method(String) refers to \"#order\", but the class file has no parameter names:"
				+ " \"#order\".");
		assertThat(analysis.getAction()).isEqualTo("Compile with the option '-parameters' (Maven: set the property"
				+ " 'maven.compiler.parameters' to 'true'; Gradle: \"options.compilerArgs.add('-parameters')\";"
				+ " Kotlin: '-java-parameters'), or name the parameter by its position: #p0 is the first.");
	}

	@Test
	void positionInAClassWithoutParameterNames(@TempDir Path directory) {
		Class<?> fine = NamelessClass.compile(directory, "#p0 + #a0");
		FailedStart.application(fine)
			.withClassLoader(fine.getClassLoader())
			.run((context) -> assertThat(context).hasNotFailed());
		Class<?> bad = NamelessClass.compile(directory, "#p1");
		FailureAnalysis analysis = FailedStart.of(FailedStart.application(bad).withClassLoader(bad.getClassLoader()));
		assertThat(analysis.getDescription()).endsWith("which is not a parameter of the method: \"#p1\".");
		assertThat(analysis.getAction()).isEqualTo("Use a parameter: #p0.");
	}

	static class Unreadable {

		@DistributedLock(key = "#order.")
		void method() {
		}

	}

	static class Primitives {

		@DistributedLock("#ids")
		public void method(long[] ids) {
		}

	}

	static class Misspelt {

		@DistributedLock(key = "#ordr.id")
		void method(String order, int quantity) {
		}

	}

	static class MisspeltProperty {

		@DistributedLock(key = "'a' + #order.di")
		void method(Order order) {
		}

	}

	static class Template {

		@DistributedLock(key = "'order:#{#order}'")
		void method(String order) {
		}

	}

	static class Placeholder {

		@DistributedLock(key = "'${tenant}' + #order")
		void method(String order) {
		}

	}

	static class MissingBean {

		@DistributedLock(key = "#key", condition = "@tenants.has(#key)")
		void method(String key) {
		}

	}

	static class MisspeltCondition {

		@DistributedLock(key = "#order", condition = "#order != null and #urgnt")
		void method(String order) {
		}

	}

	static class NoParameters {

		@DistributedLock(key = "'a' + #order")
		void method() {
		}

	}

	static class BadPosition {

		@DistributedLock(key = "#a0 + #p1")
		void method(String order) {
		}

	}

	static class Function {

		@DistributedLock(key = "#hash(#order)")
		void method(String order) {
		}

	}

	static class BareWord {

		@DistributedLock(key = "order")
		void method(String order) {
		}

	}

	static class BareWords {

		@DistributedLock(key = "nightly-run")
		void method() {
		}

	}

	static class BareProperty {

		@DistributedLock(key = "order.bytes + '-' + #order")
		void method(String order) {
		}

	}

	static class RootProperty {

		@DistributedLock(key = "#root.methodName")
		void method() {
		}

	}

	static class Root {

		@DistributedLock(key = "#root")
		void method() {
		}

	}

	static class This {

		@DistributedLock(key = "{'a', #this}")
		void method() {
		}

	}

	static class RootInText {

		@DistributedLock(key = "'a' + #root")
		void method() {
		}

	}

	static class RootOfElements {

		@DistributedLock(key = "#root.args.![#root]")
		void method() {
		}

	}

	static class BareCall {

		@DistributedLock(key = "tenant()")
		void method() {
		}

		String tenant() {
			return "tenant";
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
