package io.holdfast;

import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Escapes text for messages and log lines, so that it stays on one line and all of it is
 * visible. Keys often contain user input, which must not be able to forge lines of the
 * log, or to control a terminal.
 *
 * @since 0.1.0
 */
public final class LogText {

	private static final int MOST_KEYS = 10;

	private static final int MOST_CHARACTERS = 2000;

	private LogText() {
	}

	/**
	 * Return the keys of one lock as text: all of them, or the first ten and the number
	 * of the others.
	 * @param keys the keys
	 * @return the keys, separated by commas and not escaped
	 */
	public static String keys(List<String> keys) {
		if (keys.size() <= MOST_KEYS) {
			return String.join(", ", keys);
		}
		return "%s and %d more".formatted(String.join(", ", keys.subList(0, MOST_KEYS)), keys.size() - MOST_KEYS);
	}

	/**
	 * Return a text on one line that is safe to print. Control characters, line and
	 * paragraph separators, format characters and halves of surrogate pairs are escaped
	 * as in Java, {@code \n} or <code>&#92;u2028</code>; all others are unchanged. Of a
	 * text of more than 2000 characters, the middle is left out.
	 * @param value what to put into the message
	 * @return the text, {@code "null"} for {@code null}
	 */
	public static String of(@Nullable Object value) {
		String text = shortened(String.valueOf(value));
		return text.codePoints().anyMatch(LogText::isInvisible)
				? text.codePoints().mapToObj(LogText::visible).collect(Collectors.joining()) : text;
	}

	private static String shortened(String text) {
		int end = text.length() - MOST_CHARACTERS / 2;
		return (text.length() <= MOST_CHARACTERS) ? text : "%s … %d characters … %s"
			.formatted(text.substring(0, MOST_CHARACTERS / 2), text.length() - MOST_CHARACTERS, text.substring(end));
	}

	private static boolean isInvisible(int codePoint) {
		return switch (Character.getType(codePoint)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE ->
				true;
			default -> false;
		};
	}

	private static String visible(int codePoint) {
		String text = Character.toString(codePoint);
		return isInvisible(codePoint) ? text.chars().mapToObj(LogText::escape).collect(Collectors.joining()) : text;
	}

	private static String escape(int unit) {
		return switch (unit) {
			case '\n' -> "\\n";
			case '\r' -> "\\r";
			case '\t' -> "\\t";
			default -> "\\u%04x".formatted(unit);
		};
	}

}
