package io.holdfast.autoconfigure;

import java.time.Duration;

import io.holdfast.test.RecordedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Values of properties that cannot be, and those that are only just possible.
 */
class BadPropertyTests {

	private static final String LONGEST = "9223372036854775807s";

	private static HoldfastProperties bind(String... properties) {
		MapConfigurationPropertySource source = new MapConfigurationPropertySource();
		for (String property : properties) {
			String[] parts = property.split("=", 2);
			source.put(parts[0], parts[1]);
		}
		HoldfastProperties bound = new Binder(source).bindOrCreate("holdfast", HoldfastProperties.class);
		PropertyChecks.check(bound);
		return bound;
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			lease                     | -1s                   | between 100 ms
			lease                     | 0                     | between 100 ms
			lease                     | 99ms                  | between 100 ms
			lease                     | 9223372036854775807s  | 365 days
			lease                     | -9223372036854775807s | between 100 ms
			lease                     | 9223372036854775808s  | 9223372036854775808s
			lease                     | soon                  | soon
			wait-for                  | -2                    | negative
			wait-for                  | -9223372036854775807s | negative
			max-hold                  | 0                     | or not be set
			max-hold                  | -9223372036854775807s | positive
			warn-hold                 | -9223372036854775807s | positive
			warn-wait                 | 0                     | positive
			token-retention           | 9223372036854775807s  | 365 days
			token-retention           | -9223372036854775807s | positive
			shutdown-grace            | -9223372036854775807s | negative
			key-prefix                | ""                    | blank
			key-prefix                | "	"                  | blank
			key-prefix                | a}                    | braces
			local-handoffs            | -2147483648           | negative
			local-handoffs            | 2147483648            | 2147483648
			handover-check            | -1ms                  | negative
			fair                      | perhaps               | perhaps
			on-lost                   | shrug                 | shrug
			store                     | paper                 | paper
			metrics.max-names         | -1                    | negative
			redis.pool.max-active     | 2                     | at least 3
			redis.pool.max-active     | -2147483648           | at least 3
			redis.node-timeout        | 0                     | positive
			redis.node-timeout        | -9223372036854775807s | positive
			redis.replica-acks        | -1                    | negative
			redis.replica-ack-timeout | -1ms                  | positive
			redis.quorum              | none                  | none
			aspect.mode               | magic                 | magic
			""")
	void isRefusedByItsName(String property, String value, String reason) {
		assertThatThrownBy(() -> bind("holdfast." + property + "=" + value)).satisfies((failure) -> {
			assertThat(failure).hasStackTraceContaining("holdfast." + property);
			assertThat(failure).hasStackTraceContaining(reason);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis.node-timeout", "redis.replica-ack-timeout" })
	void timeThatIsTooLongIsRefusedByItsNameWhereItCounts(String property) {
		String time = "holdfast." + property + "=" + LONGEST;
		assertThat(bind(time)).isNotNull();
		String use = property.contains("node") ? "holdfast.redis.nodes=redis://a:6379,redis://b:6379,redis://c:6379"
				: "holdfast.redis.replica-acks=1";
		assertThatThrownBy(() -> bind(time, use)).hasMessageContaining("holdfast." + property)
			.hasMessageContaining("holdfast.lease");
	}

	@Test
	void waitWithoutLimitIsMinusOne() {
		assertThat(bind("holdfast.wait-for=-1").waitFor()).isEqualTo(Duration.ofMillis(-1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "lease", "wait-for", "max-hold", "token-retention", "store", "on-lost" })
	void emptyValueIsAsGoodAsNone(String property) {
		assertThat(bind("holdfast." + property + "=")).isEqualTo(bind());
	}

	@Test
	void textHasNoPasswords() {
		assertThat(bind("holdfast.redis.nodes=redis://:secret@a,redis://:secret@b,redis://:secret@c")).asString()
			.contains("MAJORITY of 3 nodes")
			.doesNotContain("secret");
	}

	@Test
	void valueWithoutAUnitIsWarnedOfWhereSecondsAreUsual() {
		HoldfastProperties bound = bind("holdfast.wait-for=5", "holdfast.max-hold=99", "holdfast.warn-hold=100",
				"holdfast.shutdown-grace=0");
		try (RecordedLog log = new RecordedLog()) {
			new PropertyChecks().postProcessBeforeInitialization(bound, "properties");
			assertThat(log.lines("a number without a unit")).extracting(RecordedLog.Line::text)
				.containsExactly(
						"Property 'holdfast.wait-for' is only 5 ms: a number without a unit means milliseconds. For seconds, write 5s.",
						"Property 'holdfast.max-hold' is only 99 ms: a number without a unit means milliseconds. For seconds, write 99s.");
		}
	}

}
