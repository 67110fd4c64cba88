package io.holdfast;

import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Text that is put into a message or a line of a log: stays within its line, and shows
 * what is in it. Keys are often made of what users have typed, and must not be able to
 * add lines that look like the log's own, or to change what a terminal does.
 *
 * @since 0.1.0
 */
public final class LogText {

	/**
	 * How many keys are named before those that are only counted.
	 */
	private static final int MOST_KEYS = 10;

	private LogText() {
	}

	/**
	 * Return the keys of one lock as a text: all of them, or the first ten and how many
	 * more there are.
	 * @param keys the keys
	 * @return the keys, with commas in between; characters are as they are
	 */
	public static String keys(List<String> keys) {
		if (keys.size() <= MOST_KEYS) {
			return String.join(", ", keys);
		}
		return "%s and %d more".formatted(String.join(", ", keys.subList(0, MOST_KEYS)), keys.size() - MOST_KEYS);
	}

	/**
	 * Return a text that stays within its line and does nothing. Control characters,
	 * separators of lines and paragraphs, format characters and halves of surrogate pairs
	 * are written as in Java, {@code \n} or <code>&#92;u2028</code>; all others stay as
	 * they are.
	 * @param value what to put into the message
	 * @return the text, {@code "null"} for {@code null}
	 */
	public static String of(@Nullable Object value) {
		String text = String.valueOf(value);
		return text.codePoints().anyMatch(LogText::isInvisible) ? escaped(text) : text;
	}

	private static boolean isInvisible(int codePoint) {
		return switch (Character.getType(codePoint)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE ->
				true;
			default -> false;
		};
	}

	private static String escaped(String text) {
		return text.codePoints().mapToObj(LogText::visible).collect(Collectors.joining());
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
