package io.holdfast.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.holdfast.DistributedLock;
import io.holdfast.RunOnce;
import io.holdfast.aop.LocalApplication;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Durations and numbers that are refused at startup. Their values come from a property.
 */
@Tag("any-jdk")
class DurationCheckTests {

	private static final String LONGER_LEASE = "Shorten 'minHold', raise 'lease' (or 'holdfast.lease'), or have the lease renewed ('autoRenew').";

	private static final String LONGER_HOLD = "Shorten 'minHold', or raise 'maxHold' (or 'holdfast.max-hold').";

	private static void assertRefused(Class<?> type, String attribute, String value, String reason, String action,
			String... properties) {
		FailureAnalysis analysis = FailureAnalyses.ofStartWith(type, properties);
		assertThat(analysis.getDescription())
			.isEqualTo("The attribute '%s' of @DistributedLock on %s.method() is not a usable duration: \"%s\" (%s)."
				.formatted(attribute, type.getName(), value, reason));
		assertThat(analysis.getAction()).isEqualTo(action);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					lease   | -5s  | A lock's lease must be between 10 ms and 365 days, not PT-5S
					lease   | 9ms  | A lock's lease must be between 10 ms and 365 days, not PT0.009S
					lease   | 0    | A lock's lease must be between 10 ms and 365 days, not PT0S
					lease   | 366d | A lock's lease must be between 10 ms and 365 days, not PT8784H
					waitFor | -2ms | The time to wait for a lock must not be negative, except for -1 ms, which means no limit: PT-0.002S
					waitFor | -5s  | The time to wait for a lock must not be negative, except for -1 ms, which means no limit: PT-5S
					minHold | -5s  | A lock's minHold must be between 0 and 365 days, not PT-5S
					maxHold | -5s  | A lock's maxHold must be positive: PT-5S
					maxHold | 0    | A lock's maxHold must be positive: PT0S
					""",
			quoteCharacter = '"')
	void valueThatIsNotAllowed(String attribute, String value, String reason) {
		String text = "${test.%s:}".formatted(attribute);
		assertRefused(FromProperties.class, attribute, text, reason,
				"Set the value of \"%s\" to a duration such as 30s.".formatted(text),
				"test.%s=%s".formatted(attribute, value));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			abc                   | 'abc' is not a valid duration
			99999999999999999999s | '99999999999999999999s' is not a valid simple duration
			9999999999999999d     | '9999999999999999d' is not a valid simple duration
			30                    | 30 has no unit: write 30s for seconds, or 30ms for milliseconds
			-5                    | -5 has no unit: write -5s for seconds, or -5ms for milliseconds
			9999999999999s        | It is too long: PT2777777777H46M39S
			""")
	void valueThatIsNoDuration(String value, String reason) {
		assertRefused(FromProperties.class, "lease", "${test.lease:}", reason,
				"Set the value of \"${test.lease:}\" to a duration such as 30s.", "test.lease=" + value);
	}

	@Test
	void placeholderThatNobodyFills() {
		assertRefused(Placeholder.class, "lease", "${test.value}",
				"Could not resolve placeholder 'test.value' in value \"${test.value}\"",
				"Set the value of \"${test.value}\" to a duration such as 30s.");
	}

	@Test
	void valueInTheAnnotationItself() {
		assertRefused(TooShort.class, "lease", "5ms", "A lock's lease must be between 10 ms and 365 days, not PT0.005S",
				"Set 'lease' to a duration such as 30s.");
		assertRefused(WithoutUnit.class, "lease", "5", "5 has no unit: write 5s for seconds, or 5ms for milliseconds",
				"Set 'lease' to a duration such as 30s.");
	}

	@Test
	void expressionThatCannotBeEvaluated() {
		FailureAnalysis analysis = FailureAnalyses.ofStartWith(BadExpression.class);
		assertThat(analysis.getDescription()).startsWith("The attribute 'lease' of @DistributedLock on "
				+ BadExpression.class.getName() + ".method() is not a usable duration: \"#{nothing.there}\" (");
		assertThat(analysis.getAction()).isEqualTo("Set the value of \"#{nothing.there}\" to a duration such as 30s.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "-1", "0", "250ms", "5s", "PT1M" })
	void waitsThatCanBe(String value) {
		LocalApplication.with(FromProperties.class)
			.withPropertyValues("test.waitFor=" + value)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			many | For input string: "many"
			2.5  | For input string: "2.5"
			0    | A lock's permits must be at least 1, not 0
			-1   | A lock's permits must be at least 1, not -1
			""")
	void permitsThatAreNoNumberOfHolders(String value, String reason) {
		FailureAnalysis analysis = FailureAnalyses.ofStartWith(Permits.class, "test.permits=" + value);
		assertThat(analysis.getDescription())
			.isEqualTo("The attribute 'permitsString' of @DistributedLock on %s.method() is not a usable number: "
				.formatted(Permits.class.getName()) + "\"${test.permits}\" (%s).".formatted(reason));
		assertThat(analysis.getAction()).isEqualTo("Set the value of \"${test.permits}\" to a number such as 3.");
		assertThat(FailureAnalyses.ofStartWith(Permits.class).getAction())
			.isEqualTo("Set the value of \"${test.permits}\" to a number such as 3.");
	}

	// minHold and what it depends on

	private static void assertMinHoldRefused(Class<?> type, String problem, String action, String... properties) {
		FailureAnalysis analysis = FailureAnalyses.ofStartWith(type, properties);
		assertThat(analysis.getDescription())
			.isEqualTo("The attribute 'minHold' of @DistributedLock on %s.method() is longer than %s."
				.formatted(type.getName(), problem));
		assertThat(analysis.getAction()).isEqualTo(action);
	}

	@Test
	void intervalMayBeLongerThanALeaseThatIsNotRenewedButNotThanMaxHold() {
		LocalApplication.with(Once.class)
			.withPropertyValues("holdfast.auto-renew=false")
			.run((context) -> assertThat(context).hasNotFailed());
		FailureAnalysis analysis = FailureAnalyses.ofStartWith(Once.class, "holdfast.max-hold=10m");
		assertThat(analysis.getDescription())
			.startsWith("The attribute 'per' of @RunOnce on %s.method() is longer than 'maxHold'"
				.formatted(Once.class.getName()));
		assertThat(analysis.getAction()).isEqualTo("Shorten 'per', or raise 'maxHold' (or 'holdfast.max-hold').");
	}

	@Test
	void minHoldLongerThanTheLeaseThatIsNotRenewed() {
		assertMinHoldRefused(LongerThanLease.class, "the lease, which is not renewed: PT11S is more than PT10S",
				LONGER_LEASE);
	}

	@Test
	void minHoldLongerThanTheConfiguredLease() {
		assertMinHoldRefused(LongerThanDefault.class, "the lease, which is not renewed: PT11S is more than PT9S",
				LONGER_LEASE, "holdfast.lease=9s", "holdfast.auto-renew=false");
		LocalApplication.with(LongerThanDefault.class)
			.withPropertyValues("holdfast.lease=9s")
			.run((context) -> assertThat(context).hasNotFailed());
		LocalApplication.with(LongerThanDefault.class)
			.withPropertyValues("holdfast.lease=11s", "holdfast.auto-renew=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void minHoldLongerThanMaxHold() {
		assertMinHoldRefused(LongerThanMaxHold.class,
				"'maxHold', after which the lease is not renewed: PT11S is more than PT10S", LONGER_HOLD);
		assertMinHoldRefused(LongerThanDefault.class,
				"'maxHold', after which the lease is not renewed: PT11S is more than PT8S", LONGER_HOLD,
				"holdfast.max-hold=8s");
	}

	static class FromProperties {

		@Limited("${test.maxHold:}")
		void method() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "'k'", lease = "${test.lease:}", waitFor = "${test.waitFor:}", minHold = "${test.minHold:}")
	@interface Limited {

		@AliasFor(annotation = DistributedLock.class, attribute = "maxHold")
		String value();

	}

	static class Placeholder {

		@DistributedLock(key = "'k'", lease = "${test.value}")
		void method() {
		}

	}

	static class TooShort {

		@DistributedLock(key = "'k'", lease = "5ms")
		void method() {
		}

	}

	static class WithoutUnit {

		@DistributedLock(key = "'k'", lease = "5")
		void method() {
		}

	}

	static class BadExpression {

		@DistributedLock(key = "'k'", lease = "#{nothing.there}")
		void method() {
		}

	}

	static class Permits {

		@DistributedLock(key = "'k'", permitsString = "${test.permits}")
		void method() {
		}

	}

	static class Once {

		@RunOnce(per = "1h")
		void method() {
		}

	}

	static class LongerThanLease {

		@DistributedLock(key = "'k'", minHold = "11s", lease = "10s", autoRenew = false)
		void method() {
		}

	}

	static class LongerThanDefault {

		@DistributedLock(key = "'k'", minHold = "11s")
		void method() {
		}

	}

	static class LongerThanMaxHold {

		@DistributedLock(key = "'k'", minHold = "11s", maxHold = "10s")
		void method() {
		}

	}

}
