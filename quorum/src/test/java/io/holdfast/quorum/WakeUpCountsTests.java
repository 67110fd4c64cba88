package io.holdfast.quorum;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WakeUpCountsTests {

	private final WakeUpCounts counts = new WakeUpCounts(2);

	@Test
	void aQuorumOfNodesWakes() {
		assertThat(this.counts.add("a", "me:1", 0)).isFalse();
		assertThat(this.counts.add("a", "me:1", 2)).isTrue();
	}

	@Test
	void eachNodeCountsOnce() {
		assertThat(this.counts.add("a", "me:1", 0)).isFalse();
		assertThat(this.counts.add("a", "me:1", 0)).isFalse();
		assertThat(this.counts.add("a", "me:1", 1)).isTrue();
	}

	@Test
	void keysAndPlacesAreCountedApart() {
		assertThat(this.counts.add("a", "me:1", 0)).isFalse();
		assertThat(this.counts.add("b", "me:1", 1)).isFalse();
		assertThat(this.counts.add("a", "me:2", 1)).isFalse();
	}

	@Test
	void anAttemptAndAWakeUpBeginToCountAnew() {
		this.counts.add("a", "me:1", 0);
		this.counts.clear(List.of("a"), "me:1");
		assertThat(this.counts.add("a", "me:1", 1)).isFalse();
		assertThat(this.counts.add("a", "me:1", 2)).isTrue();
		assertThat(this.counts.add("a", "me:1", 0)).isFalse();
	}

	@Test
	void oldestCountsAreForgotten() {
		this.counts.add("a", "me:0", 0);
		for (int i = 1; i <= 10_000; i++) {
			this.counts.add("a", "me:" + i, 0);
		}
		assertThat(this.counts.add("a", "me:0", 1)).isFalse();
		assertThat(this.counts.add("a", "me:10000", 1)).isTrue();
	}

}
