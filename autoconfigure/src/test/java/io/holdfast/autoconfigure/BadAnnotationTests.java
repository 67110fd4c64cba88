package io.holdfast.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.holdfast.DistributedLock;
import io.holdfast.LockMode;
import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Annotations that cannot work keep an application from starting.
 */
class BadAnnotationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, HoldfastAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local");

	@ParameterizedTest
	@ValueSource(classes = { BadExpression.class, BadCondition.class, BadLease.class, NegativeWait.class,
			ShortLease.class, BadMinHold.class, MissingPlaceholder.class, BadSecond.class, NoKey.class,
			ParameterAsName.class, PlaceholderAsName.class, RetainShared.class, RetainFair.class,
			RetainWithoutRenewal.class, RetainKept.class })
	void badAnnotationNamesClassMethodAndAttribute(Class<?> type) {
		Expected expected = type.getAnnotation(Expected.class);
		FailureAnalyses.assertThatStartFails(this.contextRunner.withUserConfiguration(type), (analysis) -> {
			assertThat(analysis.getDescription()).contains(type.getName() + ".method()", "'" + expected.value() + "'");
			assertThat(analysis.getAction()).isNotBlank();
		});
	}

	@Test
	void templatesOfWhichNoneIsPrimaryAreNamed() {
		FailureAnalyses.assertThatStartFails(
				this.contextRunner.withUserConfiguration(SeveralTemplates.class, Locked.class), (analysis) -> {
					assertThat(analysis.getDescription()).isEqualTo(
							"@DistributedLock needs one LockTemplate, and there are several beans: [one, other].");
					assertThat(analysis.getAction())
						.isEqualTo("Annotate the one that annotated methods are to use with @Primary.");
				});
	}

	@Test
	void templateThatIsDefinedAfterHoldfastsIsNotIgnored() {
		FailureAnalyses.assertThatStartFails(
				this.contextRunner.withConfiguration(AutoConfigurations.of(LaterTemplate.class))
					.withUserConfiguration(Locked.class),
				(analysis) -> assertThat(analysis.getDescription()).isEqualTo(
						"@DistributedLock needs one LockTemplate, and there are several beans: [holdfastLockTemplate, later]."));
	}

	@Test
	void templatesOfWhichNoneIsPrimaryAreAllowedWithoutAnnotations() {
		this.contextRunner.withUserConfiguration(SeveralTemplates.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "fair=true", "auto-renew=false", "handover-check=0", "retain-max=0" })
	void propertyThatRulesOutRetainedLocksIsNamed(String property) {
		String name = "'holdfast." + property.substring(0, property.indexOf('=')) + "'";
		FailureAnalyses.assertThatStartFails(retaining().withPropertyValues("holdfast." + property), (analysis) -> {
			assertThat(analysis.getDescription()).contains("'retain' of @DistributedLock", name);
			assertThat(analysis.getAction()).isEqualTo("Remove 'retain' from the annotation, or change the property.");
		});
	}

	@ParameterizedTest
	@CsvSource({ "replica-acks, 1", "nodes, 'redis://a,redis://b,redis://c'" })
	void deploymentThatRulesOutRetainedLocksIsNamed(String property, String value) {
		FailureAnalyses.assertThatStartFails(
				retaining().withPropertyValues("holdfast.store=redis", "holdfast.redis." + property + "=" + value),
				(analysis) -> assertThat(analysis.getDescription())
					.endsWith("method() cannot be combined with 'holdfast.redis.%s'.".formatted(property)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "fair=false", "retain-max=1", "redis.replica-acks=1" })
	void otherPropertiesLetAnAnnotationRetainItsLock(String property) {
		retaining().withPropertyValues("holdfast." + property).run((context) -> assertThat(context).hasNotFailed());
	}

	/**
	 * The property asks for what can be retained, and leaves out the rest.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "fair=true", "auto-renew=false", "retain-max=0" })
	void retainAsAPropertyContradictsNothing(String property) {
		this.contextRunner.withUserConfiguration(Fair.class)
			.withPropertyValues("holdfast.retain=1m", "holdfast." + property)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(Fair.class).method()).isTrue();
			});
	}

	private ApplicationContextRunner retaining() {
		return this.contextRunner.withUserConfiguration(Retained.class);
	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Expected {

		String value();

	}

	@Expected("key")
	static class BadExpression {

		@DistributedLock(key = "#order.")
		void method() {
		}

	}

	@Expected("condition")
	static class BadCondition {

		@DistributedLock(key = "'k'", condition = "#a ==")
		void method() {
		}

	}

	@Expected("lease")
	static class BadLease {

		@DistributedLock(key = "'k'", lease = "soon")
		void method() {
		}

	}

	@Expected("waitFor")
	static class NegativeWait {

		@DistributedLock(key = "'k'", waitFor = "-5s")
		void method() {
		}

	}

	@Expected("lease")
	static class ShortLease {

		@DistributedLock(key = "'k'", lease = "0")
		void method() {
		}

	}

	@Expected("maxHold")
	static class MissingPlaceholder {

		@DistributedLock(key = "'k'", maxHold = "${not.there}")
		void method() {
		}

	}

	@Expected("lease")
	static class BadSecond {

		@DistributedLock(key = "'a'")
		@DistributedLock(key = "'b'", lease = "soon")
		void method() {
		}

	}

	@Expected("name")
	static class ParameterAsName {

		@DistributedLock(name = "#id")
		void method() {
		}

	}

	@Expected("name")
	static class PlaceholderAsName {

		@DistributedLock(name = "${jobs.name}", key = "'k'")
		void method() {
		}

	}

	static class Retained {

		@DistributedLock(key = "'k'", retain = "1m")
		void method() {
		}

	}

	static class Fair {

		@DistributedLock(key = "'k'", fair = true)
		public boolean method() {
			return true;
		}

	}

	@Expected("retain")
	static class RetainShared {

		@DistributedLock(key = "'k'", retain = "1m", mode = LockMode.SHARED)
		void method() {
		}

	}

	@Expected("retain")
	static class RetainFair {

		@DistributedLock(key = "'k'", retain = "1m", fair = true)
		void method() {
		}

	}

	@Expected("retain")
	static class RetainWithoutRenewal {

		@DistributedLock(key = "'k'", retain = "1m", autoRenew = false)
		void method() {
		}

	}

	@Expected("retain")
	static class RetainKept {

		@DistributedLock(key = "'k'", retain = "1m", minHold = "1s")
		void method() {
		}

	}

	@Expected("key")
	static class NoKey {

		@DistributedLock
		void method() {
		}

	}

	@Expected("minHold")
	static class BadMinHold {

		@DistributedLock(key = "'k'", minHold = "-1s")
		void method() {
		}

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

	@Configuration(proxyBeanMethods = false)
	static class SeveralTemplates {

		@Bean
		LockTemplate one(LockRegistry registry) {
			return new LockTemplate(registry);
		}

		@Bean
		LockTemplate other(LockRegistry registry) {
			return new LockTemplate(registry);
		}

	}

}
