package io.holdfast.faults.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.holdfast.LockMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That what is written down is read again.
 */
@Tag("any-jdk")
class JournalTests {

	@TempDir
	private Path directory;

	@Test
	void readsWhatWasWritten() throws IOException {
		Path file = this.directory.resolve("journal");
		try (Journal journal = new Journal(file)) {
			journal.asked(1, List.of("a", "b"), LockMode.EXCLUSIVE, Duration.ofSeconds(2));
			journal.asked(2, List.of("a"), LockMode.SHARED, Duration.ZERO);
			journal.entered(1, 17, Map.of("a", 3L, "b", 4L));
			journal.wrote(1, "a", 5, true);
			journal.wrote(1, "b", 6, false);
			journal.ended(2, Outcome.UNAVAILABLE, "a\tb\nc");
			journal.left(1, 18);
			journal.told(1);
			journal.ended(1, Outcome.LOST, "");
			journal.stoodStill(19, 20);
		}
		JournalReader reader = JournalReader.read(file, "worker", Long.MAX_VALUE);
		assertThat(reader.pauses()).containsExactly(new Pause("worker", 19, 20));
		List<Attempt> attempts = reader.attempts();
		Attempt first = attempts.get(0);
		assertThat(first.id()).isEqualTo("worker#1");
		assertThat(first.keys()).containsExactly("a", "b");
		assertThat(first.timesTold()).isOne();
		assertThat(first.outcome()).isEqualTo(Outcome.LOST);
		Attempt.Section section = Objects.requireNonNull(first.section());
		assertThat(section.tokens()).isEqualTo(Map.of("a", 3L, "b", 4L));
		assertThat(section.entered()).isEqualTo(17);
		assertThat(section.heldUntil()).isEqualTo(18);
		assertThat(section.left()).isBetween(first.asked(), first.ended());
		assertThat(section.writes()).containsExactly(new Attempt.Write("a", 5, true), new Attempt.Write("b", 6, false));
		assertThat(attempts.get(1)).extracting(Attempt::mode, Attempt::waitFor, Attempt::section, Attempt::detail)
			.containsExactly(LockMode.SHARED, Duration.ZERO, null, "a b c");
	}

	@Test
	void cutsOffWhatAWorkerDidNotLiveToEnd() throws IOException {
		Path file = this.directory.resolve("journal");
		try (Journal journal = new Journal(file)) {
			journal.asked(1, List.of("a"), LockMode.EXCLUSIVE, Duration.ofSeconds(2));
			journal.entered(1, 17, Map.of("a", 3L));
		}
		Files.writeString(file, "12\tlea", StandardOpenOption.APPEND);
		Attempt attempt = JournalReader.read(file, "worker", 20).attempts().get(0);
		assertThat(attempt.isCutOff()).isTrue();
		assertThat(attempt.ended()).isEqualTo(20);
		assertThat(Objects.requireNonNull(attempt.section()).left()).isEqualTo(20);
	}

}
