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

import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Durations and numbers that are refused at startup. Their values come from a property.
 */
@Tag("any-jdk")
class DurationCheckTests {

	private static void assertRefused(Class<?> type, String attribute, String reason, String... properties) {
		assertThat(FailureAnalyses.ofStartWith(type, properties).getDescription()).contains("'" + attribute + "'",
				type.getName() + ".method()", reason);
	}

	@ParameterizedTest
	@CsvSource({ "lease, -5s, PT-5S", "lease, 9ms, PT0.009S", "lease, 0, PT0S", "lease, 366d, PT8784H",
			"lease, abc, abc", "lease, 99999999999999999999s, 99999999999999999999s",
			"lease, 9999999999999999d, 9999999999999999d", "lease, 9999999999999s, too long",
			"lease, 30, 30 has no unit", "lease, -5, -5 has no unit", "waitFor, -2ms, PT-0.002S", "waitFor, -5s, PT-5S",
			"minHold, -5s, PT-5S", "maxHold, -5s, PT-5S", "maxHold, 0, PT0S", "permitsString, many, many",
			"permitsString, 2.5, 2.5", "permitsString, 0, at least 1", "permitsString, -1, at least 1" })
	void valueThatIsNotAllowed(String attribute, String value, String reason) {
		assertRefused(FromProperties.class, attribute, reason, "test.%s=%s".formatted(attribute, value));
	}

	@Test
	void attributeWithoutAUsableValue() {
		assertRefused(Placeholder.class, "lease", "'test.value'");
		assertRefused(BadExpression.class, "lease", "#{nothing.there}");
		assertRefused(TooShort.class, "lease", "\"5ms\"");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "-1", "0", "250ms", "5s", "PT1M" })
	void waitsThatCanBe(String value) {
		assertAccepted(FromProperties.class, "test.waitFor=" + value);
	}

	private static void assertAccepted(Class<?> type, String... properties) {
		LocalApplication.with(type).withPropertyValues(properties).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void intervalMayBeLongerThanALeaseThatIsNotRenewedButNotThanMaxHold() {
		assertAccepted(Once.class, "holdfast.auto-renew=false");
		assertRefused(Once.class, "per", "'maxHold'", "holdfast.max-hold=10m");
	}

	@Test
	void minHoldIsNotLongerThanALeaseThatIsNotRenewedOrThanMaxHold() {
		assertRefused(LongerThanLease.class, "minHold", "PT11S is more than PT10S");
		assertRefused(LongerThanDefault.class, "minHold", "PT11S is more than PT9S", "holdfast.lease=9s",
				"holdfast.auto-renew=false");
		assertAccepted(LongerThanDefault.class, "holdfast.lease=9s");
		assertAccepted(LongerThanDefault.class, "holdfast.lease=11s", "holdfast.auto-renew=false");
		assertRefused(LongerThanMaxHold.class, "minHold", "PT11S is more than PT10S");
		assertRefused(LongerThanDefault.class, "minHold", "PT11S is more than PT8S", "holdfast.max-hold=8s");
	}

	static class FromProperties {

		@Limited("${test.maxHold:}")
		void method() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "'k'", lease = "${test.lease:}", waitFor = "${test.waitFor:}", minHold = "${test.minHold:}",
			permitsString = "${test.permitsString:}")
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

	static class BadExpression {

		@DistributedLock(key = "'k'", lease = "#{nothing.there}")
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
