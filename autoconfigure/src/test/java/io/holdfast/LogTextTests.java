package io.holdfast;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What can be put into a line of the log.
 */
class LogTextTests {

	@ParameterizedTest
	@CsvSource({ "000a, \\n", "000d, \\r", "0009, \\t", "0000, \\u0000", "001b, \\u001b", "007f, \\u007f",
			"0085, \\u0085", "2028, \\u2028", "2029, \\u2029", "202e, \\u202e", "200b, \\u200b", "d83d, \\ud83d",
			"e0041, \\udb40\\udc41" })
	void whatCannotBeSeenIsWrittenAsInJava(String codePoint, String written) {
		String invisible = Character.toString(Integer.parseInt(codePoint, 16));
		assertThat(LogText.of("a" + invisible + "b")).isEqualTo("a" + written + "b");
	}

	@Test
	void allElseStaysAsItIs() {
		String text = "order/42 ä 日本 \uD83D\uDE00 'a\\nb' {}";
		assertThat(LogText.of(text)).isSameAs(text);
		assertThat(LogText.of(null)).isEqualTo("null");
	}

	@Test
	void middleOfALongTextIsLeftOut() {
		assertThat(LogText.of("k".repeat(2000))).hasSize(2000);
		assertThat(LogText.of("a".repeat(500_000) + "z".repeat(500_000)))
			.isEqualTo("a".repeat(1000) + " … 998000 characters … " + "z".repeat(1000));
		assertThat(new LockNotAcquiredException("k".repeat(1_000_000), Duration.ZERO, "holder")).message()
			.hasSizeLessThan(2100)
			.startsWith("Lock 'kkk")
			.endsWith("kkk' is not free (tried once), held by holder");
	}

	@Test
	void messagesOfExceptionsStayOnOneLineAndTheirKeysAreReal() {
		LockNotAcquiredException failure = new LockNotAcquiredException("a\nb", Duration.ZERO, "c\rd");
		assertThat(failure).hasMessage("Lock 'a\\nb' is not free (tried once), held by c\\rd");
		assertThat(failure.getKey()).isEqualTo("a\nb");
		assertThat(failure.getHolder()).isEqualTo("c\rd");
	}

}
