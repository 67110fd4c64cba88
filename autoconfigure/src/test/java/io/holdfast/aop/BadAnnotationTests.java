package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.RunOnce;
import io.holdfast.autoconfigure.FailureAnalyses;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Annotations that cannot work keep an application from starting.
 */
class BadAnnotationTests {

	static Stream<Method> refused() {
		return RefusedMethods.in(RefusedAttributes.class);
	}

	@ParameterizedTest
	@MethodSource("refused")
	void isRefused(Method method) {
		RefusedMethods.assertRefused(method);
	}

	@Test
	void applicationDoesNotStart() {
		FailureAnalyses.assertThatStartFails(LocalApplication.with(BadExpression.class), (analysis) -> {
			assertThat(analysis.getDescription())
				.startsWith("The attribute 'key' of @DistributedLock on " + BadExpression.class.getName()
						+ ".method() is not a valid SpEL expression: \"#order.\"")
				.endsWith(".");
			assertThat(analysis.getAction()).startsWith("Correct the expression.");
		});
	}

	@Test
	void templatesOfWhichNoneIsPrimaryAreNamed() {
		FailureAnalyses.assertThatStartFails(LocalApplication.with(SeveralTemplates.class, Locked.class),
				(analysis) -> {
					assertThat(analysis.getDescription()).isEqualTo(
							"@DistributedLock needs one LockTemplate, and there are several beans: [one, other].");
					assertThat(analysis.getAction())
						.isEqualTo("Annotate the one that annotated methods are to use with @Primary.");
				});
	}

	@Test
	void templateThatIsDefinedAfterHoldfastsIsNotIgnored() {
		FailureAnalyses.assertThatStartFails(
				LocalApplication.with(Locked.class).withConfiguration(AutoConfigurations.of(LaterTemplate.class)),
				(analysis) -> assertThat(analysis.getDescription()).isEqualTo(
						"@DistributedLock needs one LockTemplate, and there are several beans: [holdfastLockTemplate, later]."));
	}

	@Test
	void templatesOfWhichNoneIsPrimaryAreAllowedWithoutAnnotations() {
		LocalApplication.with(SeveralTemplates.class).run((context) -> assertThat(context).hasNotFailed());
	}

	static class RefusedAttributes {

		@Refused(problem = "is empty, and there is no name either",
				action = "Set 'key' to an expression such as \"#order.id\", or 'name' to a fixed name.")
		@DistributedLock
		void neitherKeyNorName() {
		}

		@Refused(attribute = "condition",
				problem = "is not a valid SpEL expression: \"#a ==\" (Expression [#a ==] @3: EL1042E: Problem parsing right operand)",
				action = "Correct the expression. Parameters are written as \"#order.id\", literals in quotes as \"'orders'\".")
		@DistributedLock(key = "'k'", condition = "#a ==")
		void halfACondition() {
		}

		@Refused(attribute = "name", problem = "looks like an expression, but a name is not evaluated: \"#id\"",
				action = "Move the expression to 'key', and set 'name' to a fixed text or remove it.")
		@DistributedLock(name = "#id")
		void parameterAsName() {
		}

		@Refused(attribute = "name",
				problem = "looks like an expression, but a name is not evaluated: \"${jobs.name}\"",
				action = "Move the expression to 'key', and set 'name' to a fixed text or remove it.")
		@DistributedLock(name = "${jobs.name}", key = "'k'")
		void placeholderAsName() {
		}

		@Refused(attribute = "permits", problem = "must not be negative: -1",
				action = "Set 'permits' to the greatest number of holders, or remove it.")
		@DistributedLock(key = "'k'", permits = -1)
		void negativePermits() {
		}

		@Refused(attribute = "permits", problem = "is set, and so is 'permitsString'",
				action = "Set only one of them: they mean the same.")
		@DistributedLock(key = "'k'", permits = 2, permitsString = "2")
		void permitsTwice() {
		}

		@Refused(attribute = "per", problem = "is no interval: \"0\"",
				action = "Set 'per' to a duration such as \"1h\".")
		@RunOnce(per = "0")
		void noInterval() {
		}

		@Refused(attribute = "per", problem = "is no interval: \"\"",
				action = "Set 'per' to a duration such as \"1h\".")
		@RunOnce(per = "")
		void emptyInterval() {
		}

		@Refused(attribute = "per",
				problem = "is not a usable duration: \"60\" (60 has no unit: write 60s for seconds, or 60ms for milliseconds)",
				action = "Set 'per' to a duration such as 30s.")
		@RunOnce(per = "60")
		void intervalWithoutUnit() {
		}

		@Refused(attribute = "name", problem = "looks like an expression, but a name is not evaluated: \"#id\"",
				action = "Move the expression to 'key', and set 'name' to a fixed text or remove it.")
		@RunOnce(per = "1h", name = "#id")
		void parameterAsNameOfWhatRunsOnce() {
		}

	}

	static class BadExpression {

		@DistributedLock(key = "#order.")
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
