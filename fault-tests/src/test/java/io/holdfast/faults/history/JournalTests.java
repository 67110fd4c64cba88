package io.holdfast.faults.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.holdfast.LockMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That what is written down is read again, but for a line that a worker did not live to
 * end.
 */
@Tag("any-jdk")
class JournalTests {

	@Test
	void readsWhatWasWritten(@TempDir Path directory) throws IOException {
		Path file = directory.resolve("journal");
		try (Journal journal = new Journal(file)) {
			journal.asked(1, List.of("a", "b"), LockMode.EXCLUSIVE, Duration.ofSeconds(2));
			journal.asked(2, List.of("a"), LockMode.SHARED, Duration.ZERO);
			journal.asked(3, List.of("a"), LockMode.EXCLUSIVE, Duration.ofSeconds(2));
			journal.entered(1, 17, Map.of("a", 3L));
			journal.wrote(1, "a", 5, true);
			journal.ended(2, Outcome.UNAVAILABLE, "a\tb\nc");
			journal.left(1, 18);
			journal.told(1);
			journal.ended(1, Outcome.LOST, "");
			journal.entered(3, 17, Map.of("a", 3L));
			journal.stoodStill(19, 20);
		}
		Files.writeString(file, "12\tlea", StandardOpenOption.APPEND);
		List<Attempt> attempts = new ArrayList<>();
		List<Pause> pauses = new ArrayList<>();
		Journal.read(file, "worker", 30, attempts, pauses);
		assertThat(pauses).containsExactly(new Pause("worker", 19, 20));
		Attempt first = attempts.get(0);
		assertThat(first).isEqualTo(new Attempt("worker#1", "worker", List.of("a", "b"), LockMode.EXCLUSIVE,
				first.asked(), Duration.ofSeconds(2), new Attempt.Section(Map.of("a", 3L), 17, 18,
						first.inside().left(), List.of(new Attempt.Write("a", 5, true))),
				Outcome.LOST, first.ended(), 1, ""));
		assertThat(attempts.get(1)).extracting(Attempt::mode, Attempt::waitFor, Attempt::section, Attempt::detail)
			.containsExactly(LockMode.SHARED, Duration.ZERO, null, "a b c");
		assertThat(attempts.get(2)).matches(Attempt::isCutOff)
			.extracting(Attempt::ended, (attempt) -> attempt.inside().left())
			.containsExactly(30L, 30L);
	}

}
