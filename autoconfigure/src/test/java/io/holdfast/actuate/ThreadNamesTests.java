package io.holdfast.actuate;

import java.util.HashMap;
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
	void thoseWhoHaveGoneMakeRoomWhenThereAreTooMany() {
		note(threads(0, ThreadNames.MOST));
		note(threads(0, 1));
		Map<String, String> now = new HashMap<>(threads(0, 1));
		now.put("i:x", "new");
		assertThat(note(now)).isTrue();
		assertThat(this.names.all()).hasSize(ThreadNames.MOST).containsAllEntriesOf(now);
	}

	@Test
	void nothingIsNewWhileTooManyAreThere() {
		Map<String, String> many = threads(0, 1_000);
		assertThat(note(many)).isTrue();
		Map<String, String> told = Map.copyOf(this.names.all());
		assertThat(told).hasSize(ThreadNames.MOST);
		assertThat(note(many)).isFalse();
		assertThat(this.names.all()).isEqualTo(told);
		assertThat(note(threads(500, 1_500))).isTrue();
		assertThat(note(threads(500, 1_500))).isFalse();
		assertThat(threads(500, 1_500)).containsAllEntriesOf(this.names.all());
	}

	private static Map<String, String> threads(int from, int to) {
		return IntStream.range(from, to).boxed().collect(Collectors.toMap((i) -> "i:" + i, (i) -> "thread " + i));
	}

	private boolean note(Map<String, String> threads) {
		return this.names.note(threads) | this.names.note(threads);
	}

}
