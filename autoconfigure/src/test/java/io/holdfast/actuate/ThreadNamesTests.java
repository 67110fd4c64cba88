package io.holdfast.actuate;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which names of threads are worth telling.
 */
class ThreadNamesTests {

	private final ThreadNames names = new ThreadNames();

	@Test
	void whoIsSeenTwiceIsTold() {
		assertThat(this.names.note(Map.of("i:1", "main"))).isFalse();
		assertThat(this.names.all()).isEmpty();
		assertThat(this.names.note(Map.of("i:1", "main"))).isTrue();
		assertThat(this.names.all()).isEqualTo(Map.of("i:1", "main"));
	}

	@Test
	void whoHoldsForAMomentIsNotTold() {
		assertThat(this.names.note(Map.of("i:1", "main"))).isFalse();
		assertThat(this.names.note(Map.of("i:2", "other"))).isFalse();
		assertThat(this.names.note(Map.of())).isFalse();
		assertThat(this.names.all()).isEmpty();
	}

	@Test
	void whoIsKnownIsNoNews() {
		note(Map.of("i:1", "main"));
		assertThat(this.names.note(Map.of())).isFalse();
		assertThat(note(Map.of("i:1", "main"))).isFalse();
		assertThat(note(Map.of("i:1", "renamed"))).isTrue();
	}

	@Test
	void thoseSeenLastStayWhenThereAreTooMany() {
		note(IntStream.range(0, 2 * ThreadNames.MOST).boxed().collect(Collectors.toMap((i) -> "i:" + i, (i) -> "old")));
		note(Map.of("i:x", "new"));
		assertThat(this.names.all()).hasSize(ThreadNames.MOST).containsEntry("i:x", "new");
	}

	private boolean note(Map<String, String> threads) {
		return this.names.note(threads) | this.names.note(threads);
	}

}
