package io.holdfast.jdbc;

import java.util.ArrayList;
import java.util.Iterator;
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

	// Some databases have no text with a null character or half a character in it
	private static final Pattern UNSAFE = Pattern.compile("[\\x00-\\x1f%\\p{Cs}]");

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
			Iterator<String> fields = fields(line);
			switch (text(fields)) {
				case "holder" -> shares.add(new Share(text(fields), text(fields), number(fields), (int) number(fields),
						number(fields), flag(fields), optional(fields)));
				case "waiter" -> queue.add(new Place(text(fields), mode(text(fields)), (int) number(fields),
						flag(fields), number(fields)));
				case "refused" -> refused.put(text(fields), number(fields));
				default -> lock = new LockState(mode(text(fields)), (int) number(fields), List.of(), List.of(),
						Map.of(), null, number(fields));
			}
		}
		return new LockState(lock.mode(), lock.permits(), List.copyOf(shares), List.copyOf(queue), Map.copyOf(refused),
				released, lock.lastToken());
	}

	static @Nullable String keyIn(String text) {
		Iterator<String> fields = fields(text.split(LINE, 2)[0]);
		for (int i = 0; i < 4; i++) {
			fields.next();
		}
		return optional(fields);
	}

	static String text(LockMode mode) {
		return mode.name().toLowerCase(Locale.ROOT);
	}

	static LockMode mode(String text) {
		return LockMode.valueOf(text.toUpperCase(Locale.ROOT));
	}

	private static String escape(String field) {
		return UNSAFE.matcher(field).replaceAll((unsafe) -> "%%%04x".formatted((int) unsafe.group().charAt(0)));
	}

	private static String unescape(String field) {
		return ESCAPED.matcher(field)
			.replaceAll((escaped) -> Matcher
				.quoteReplacement(Character.toString((char) Integer.parseInt(escaped.group(1), 16))));
	}

	private static Iterator<String> fields(String line) {
		return List.of(line.split(FIELD, -1)).iterator();
	}

	private static String text(Iterator<String> fields) {
		return unescape(fields.next());
	}

	private static long number(Iterator<String> fields) {
		return Long.parseLong(fields.next());
	}

	private static boolean flag(Iterator<String> fields) {
		return Boolean.parseBoolean(fields.next());
	}

	private static @Nullable String optional(Iterator<String> fields) {
		String field = fields.next();
		return field.equals(NONE) ? null : unescape(field);
	}

}
