package io.holdfast.redis.quorum;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WakeUpVotesTests {

	private final WakeUpVotes votes = new WakeUpVotes(2);

	@Test
	void aQuorumOfNodesWakes() {
		assertThat(this.votes.vote("a", "me:1", 0)).isFalse();
		assertThat(this.votes.vote("a", "me:1", 2)).isTrue();
	}

	@Test
	void eachNodeCountsOnce() {
		assertThat(this.votes.vote("a", "me:1", 0)).isFalse();
		assertThat(this.votes.vote("a", "me:1", 0)).isFalse();
		assertThat(this.votes.vote("a", "me:1", 1)).isTrue();
	}

	@Test
	void keysAndPlacesAreCountedApart() {
		assertThat(this.votes.vote("a", "me:1", 0)).isFalse();
		assertThat(this.votes.vote("b", "me:1", 1)).isFalse();
		assertThat(this.votes.vote("a", "me:2", 1)).isFalse();
	}

	@Test
	void anAttemptAndAWakeUpBeginToCountAnew() {
		this.votes.vote("a", "me:1", 0);
		this.votes.clear(List.of("a"), "me:1");
		assertThat(this.votes.vote("a", "me:1", 1)).isFalse();
		assertThat(this.votes.vote("a", "me:1", 2)).isTrue();
		assertThat(this.votes.vote("a", "me:1", 0)).isFalse();
	}

	@Test
	void oldestVotesAreForgotten() {
		this.votes.vote("a", "me:0", 0);
		for (int i = 1; i <= 10_000; i++) {
			this.votes.vote("a", "me:" + i, 0);
		}
		assertThat(this.votes.vote("a", "me:0", 1)).isFalse();
		assertThat(this.votes.vote("a", "me:10000", 1)).isTrue();
	}

}
