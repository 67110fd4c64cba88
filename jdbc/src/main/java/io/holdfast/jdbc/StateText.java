package io.holdfast.jdbc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.LockMode;
import io.holdfast.rules.LockState;
import io.holdfast.rules.LockState.Place;
import io.holdfast.rules.LockState.Share;
import org.jspecify.annotations.Nullable;

/**
 * The state of a lock as text, all but what was released last: a line for each holder,
 * waiter and withdrawn claim, with its fields behind tabs. The first line has the key, if
 * the row does not.
 */
final class StateText {

	private static final String FIELD = "\t";

	private static final String LINE = "\n";

	private static final String NONE = "%";

	private static final Pattern ESCAPED = Pattern.compile("%(.{4})");

	private StateText() {
	}

	static String of(LockState lock, @Nullable String key) {
		List<String> lines = new ArrayList<>();
		lines.add(line("lock", text(lock.mode()), lock.permits(), lock.lastToken(), key));
		lock.shares()
			.forEach((share) -> lines.add(line("holder", share.holder(), share.claim(), share.token(), share.count(),
					share.ends(), share.passable(), share.passedTo())));
		lock.queue()
			.forEach((place) -> lines
				.add(line("waiter", place.id(), text(place.mode()), place.permits(), place.fair(), place.deadline())));
		lock.refused().forEach((claim, until) -> lines.add(line("refused", claim, until)));
		return String.join(LINE, lines);
	}

	private static String line(@Nullable Object... fields) {
		List<String> escaped = new ArrayList<>();
		for (Object field : fields) {
			escaped.add((field != null) ? escape(field.toString()) : NONE);
		}
		return String.join(FIELD, escaped);
	}

	static LockState parse(String text, @Nullable Share released) {
		LockState lock = LockState.FREE;
		List<Share> shares = new ArrayList<>();
		List<Place> queue = new ArrayList<>();
		Map<String, Long> refused = new LinkedHashMap<>();
		for (String line : text.split(LINE)) {
			Fields fields = new Fields(line);
			switch (fields.text()) {
				case "holder" -> shares.add(new Share(fields.text(), fields.text(), fields.number(),
						(int) fields.number(), fields.number(), fields.flag(), fields.optional()));
				case "waiter" -> queue.add(new Place(fields.text(), mode(fields.text()), (int) fields.number(),
						fields.flag(), fields.number()));
				case "refused" -> refused.put(fields.text(), fields.number());
				default -> lock = new LockState(mode(fields.text()), (int) fields.number(), List.of(), List.of(),
						Map.of(), null, fields.number());
			}
		}
		return new LockState(lock.mode(), lock.permits(), List.copyOf(shares), List.copyOf(queue), Map.copyOf(refused),
				released, lock.lastToken());
	}

	static @Nullable String keyIn(String text) {
		Fields fields = new Fields(text.split(LINE, 2)[0]);
		for (int i = 0; i < 4; i++) {
			fields.text();
		}
		return fields.optional();
	}

	static String text(LockMode mode) {
		return mode.name().toLowerCase(Locale.ROOT);
	}

	static LockMode mode(String text) {
		return LockMode.valueOf(text.toUpperCase(Locale.ROOT));
	}

	// Some databases have no text with a null character or half a character in it
	private static String escape(String field) {
		StringBuilder escaped = new StringBuilder(field.length());
		for (char c : field.toCharArray()) {
			if (c < ' ' || c == '%' || Character.isSurrogate(c)) {
				escaped.append("%%%04x".formatted((int) c));
			}
			else {
				escaped.append(c);
			}
		}
		return escaped.toString();
	}

	private static String unescape(String field) {
		return ESCAPED.matcher(field)
			.replaceAll((escaped) -> Matcher
				.quoteReplacement(Character.toString((char) Integer.parseInt(escaped.group(1), 16))));
	}

	/**
	 * The fields of a line, one after the other.
	 */
	private static final class Fields {

		private final String[] fields;

		private int next;

		private Fields(String line) {
			this.fields = line.split(FIELD, -1);
		}

		private String text() {
			return unescape(this.fields[this.next++]);
		}

		private long number() {
			return Long.parseLong(text());
		}

		private boolean flag() {
			return Boolean.parseBoolean(text());
		}

		private @Nullable String optional() {
			String field = this.fields[this.next++];
			return field.equals(NONE) ? null : unescape(field);
		}

	}

}
