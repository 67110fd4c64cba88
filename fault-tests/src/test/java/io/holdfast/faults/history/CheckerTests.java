package io.holdfast.faults.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.holdfast.LockMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the checker finds what is wrong, and nothing else.
 */
@Tag("any-jdk")
class CheckerTests {

	/**
	 * Histories, whose times are milliseconds, the promises that each of them breaks, by
	 * their first letters, and how. An attempt is its name, its time, its token if it was
	 * granted, and what is special about it.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					a 0-10 1 wrote=1; b 11-20 2 wrote=2; ledger 1=1 2=2; c 0-50 wait=0 NOT_ACQUIRED    |      |
					a 0-60 1; b 5-70 2                                          | NLG  | b entered 'k' with a still inside
					a 0-100 1; b 5-6 2; c 50-60 3                               | NLG  | c entered 'k' with a still inside
					a 0-10 1 shared; b 2-12 2 shared                            |      |
					a 0-10 1 shared; b 2-12 2 shared; c 5-6 3                   | NLG  | c entered 'k' with b still inside
					a 0-10 1 limited; b 2-12 2 limited; c 11-20 3 limited       |      |
					a 0-10 1 limited; b 2-12 2 limited; c 11-20 3 limited; d 12-15 4 limited | NLG | d entered 'limited' with b
					a 0-10 1 held=4 LOST told=1; b 5-20 2                       | N    | a has lost [k]
					a 0-10 1; b 5-20 2 held=6 LOST told=1                       | NL   | b entered 'k' with a still inside
					a 0-10 1 held=6 LOST told=1; b 5-20 2                       | NL   | a and b were both told that they hold 'k'
					a 0-10 1 held=4 PENDING; b 5-20 2                           | NL   | b entered 'k' with a still inside
					a 0-10 2; b 52-60 1                                         | NLGT | b was granted 'k' with token 1 after 2
					a 0-10 2; b 20-30 1                                         | NL   | b was granted 'k' with token 1 after 2
					a 0-10 2; b 31-35 4; b 40-41 3                              | NLGT | b was granted 'k' with token 3 after 4
					a 0-54 1 refused=1; b 5-60 2 wrote=1; ledger 2=1            | NL   | Refused write of 'k' by a
					a 0-10 1 refused=1; b 11-20 2 wrote=1; ledger 2=1           | NLG  | Refused write of 'k' by a
					a 0-10 1 refused=1                                          | NLG  | Refused write of 'k' by a
					a 0-55 1 refused=1; b 5-60 2 wrote=1; ledger 2=1            | NLG  | Refused write of 'k' by a
					a 0-10 2; b 10-30 2                                         | NLGT | a and b were granted 'k' with the same token
					a 0-10 1 wrote=1; b 11-20 2 wrote=1; ledger 1=1 2=1         | NLGT | The ledger has
					a 0-10 1 wrote=1                                            | NLGT | Lost write of 1 of 'k' by a
					a 0-1101 wait=1000 NOT_ACQUIRED                             | NLGT | a waited 101 ms longer than it should
					a 0-1101 wait=1000 NOT_ACQUIRED; pause b 500-900; pause a 1000-1002 |  |
					a 0-10 1 held=4 LOST                                        | NLGT | a ended LOST, and its listener was told a loss 0 times
					a 0-10 1 held=4 LOST told=2                                 | NLGT | a ended LOST, and its listener was told a loss 2 times
					a 0-10 1 told=1                                             | NLGT | a ended RELEASED, and its listener was told a loss 1 times
					a 0-0 wait=0 FAILED                                         | NLGT | a failed: why
					a 0-0 wait=0 UNAVAILABLE; b 0-50 wait=0 NOT_ACQUIRED        |      |
					unnoticed; a 0-0 wait=0 UNAVAILABLE; b 0-50 wait=0 NOT_ACQUIRED | NLGT | a was refused: Redis could not be asked
					unnoticed; a 0-500 wait=2000 UNAVAILABLE; pause b 0-600     | NLGT | a was refused: Redis could not be asked
					unnoticed; a 0-500 wait=2000 UNAVAILABLE; pause a 400-800   |      |
					a 1-1700 1 held=1600 LOST told=1; pause a 1-1500; pause b 0-1700 | N | a has lost [k]
					a 1-1700 1 held=1600 LOST told=1; pause a 1-1501            |      |
					a 0-10 1 died; b 10-20 2                                    | N    | b entered 'k' with a still inside
					""")
	void finds(String text, String promises, String violation) {
		for (Promise promise : Promise.values()) {
			List<String> violations = new Reading(text).violations(promise);
			if (promises != null && promises.contains(promise.name().substring(0, 1))) {
				assertThat(violations).as(promise.name()).anyMatch((found) -> found.startsWith(violation));
			}
			else {
				assertThat(violations).as(promise.name()).isEmpty();
			}
		}
	}

	/**
	 * A history that is read from a text.
	 */
	private static final class Reading {

		private final List<Attempt> attempts = new ArrayList<>();

		private final List<Pause> pauses = new ArrayList<>();

		private final List<History.Entry> ledger = new ArrayList<>();

		private boolean unnoticed;

		Reading(String text) {
			for (String part : text.split("; ")) {
				String[] words = part.split(" ");
				switch (words[0]) {
					case "unnoticed" -> this.unnoticed = true;
					case "pause" -> this.pauses.add(new Pause(words[1], time(words[2], 0), time(words[2], 1)));
					case "ledger" -> List.of(words).subList(1, words.length).forEach(this::addEntry);
					default -> this.attempts.add(attempt(words));
				}
			}
		}

		private void addEntry(String entry) {
			String[] numbers = entry.split("=");
			this.ledger.add(new History.Entry("k", Long.parseLong(numbers[0]), Long.parseLong(numbers[1])));
		}

		private static long time(String times, int index) {
			return nanos(times.split("-")[index]);
		}

		private static long nanos(String millis) {
			return Duration.ofMillis(Long.parseLong(millis)).toNanos();
		}

		private static Attempt attempt(String[] words) {
			List<String> special = List.of(words).subList(2, words.length);
			String key = special.contains("limited") ? "limited" : "k";
			boolean shared = special.contains("shared") || special.contains("limited");
			long from = time(words[1], 0);
			long to = time(words[1], 1);
			boolean granted = special.get(0).matches("\\d+");
			Attempt attempt = new Attempt(words[0], words[0], to);
			attempt.add(granted ? from - 1 : from, "ask", key, (shared ? LockMode.SHARED : LockMode.EXCLUSIVE).name(),
					Long.toString(nanos(value(special, "wait", "2000"))));
			if (granted) {
				attempt.add(from, "enter", key + "=" + special.get(0));
			}
			special.stream()
				.filter((word) -> word.matches("(wrote|refused)=.*"))
				.forEach((word) -> attempt.add(from, "write", key, word.split("=")[1],
						Boolean.toString(word.startsWith("wrote"))));
			for (int told = Integer.parseInt(value(special, "told", "0")); told > 0; told--) {
				attempt.add(to, "told");
			}
			if (!special.contains("died")) {
				attempt.add(to, "leave", Long.toString(nanos(value(special, "held", words[1].split("-")[1]))));
				String outcome = special.stream()
					.filter((word) -> word.matches("[A-Z_]+"))
					.findAny()
					.orElse("RELEASED");
				attempt.add(to, "end", outcome, "why");
			}
			return attempt;
		}

		private static String value(List<String> words, String name, String otherwise) {
			return words.stream()
				.filter((word) -> word.startsWith(name + "="))
				.map((word) -> word.substring(name.length() + 1))
				.findAny()
				.orElse(otherwise);
		}

		List<String> violations(Promise promise) {
			History history = new History(this.attempts, this.pauses, this.ledger, Map.of("k", 0L));
			return Checker.violations(history, promise, Duration.ofMillis(100), this.unnoticed);
		}

	}

}
