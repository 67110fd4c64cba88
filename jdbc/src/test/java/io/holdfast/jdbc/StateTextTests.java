package io.holdfast.jdbc;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.holdfast.LockMode;
import io.holdfast.rules.LockState;
import io.holdfast.rules.LockState.Place;
import io.holdfast.rules.LockState.Share;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is written to a row is read back.
 */
class StateTextTests {

	private static final long NOW = 1_800_000_000_000_000_000L;

	private final Random random = new Random();

	@RepeatedTest(200)
	void anyStateIsReadBack() {
		LockState lock = anyState();
		String key = this.random.nextBoolean() ? anyText() : null;
		assertThat(LockRow.of(lock, key).toState(NOW)).usingRecursiveComparison()
			.ignoringFields("released.ends")
			.isEqualTo(lock);
	}

	@Test
	void lockWithOneHolderIsInColumnsAlone() {
		Share share = new Share("a:1", "a:1#1", 7, 2, NOW + 1000, false, null);
		LockState lock = lock(LockMode.EXCLUSIVE, 0, share);
		LockRow row = LockRow.of(lock, null);
		assertThat(row.state()).isNull();
		assertThat(row.mode()).isEqualTo("exclusive");
		assertThat(row.toState(NOW)).isEqualTo(lock);
		assertThat(LockRow.of(LockState.FREE, null)).extracting(LockRow::state, LockRow::mode).containsOnlyNulls();
		Share passable = new Share("a:1", "a:1#1", 7, 2, NOW + 1000, true, null);
		Share passed = new Share("a:1", "a:1#1", 7, 2, NOW + 1000, false, "a:2");
		Share earlier = new Share("a:1", "a:1#1", 6, 2, NOW + 1000, false, null);
		Place place = new Place("b:1#1", LockMode.EXCLUSIVE, 0, false, NOW);
		assertThat(List.of(lock(LockMode.SHARED, 0, share), lock(LockMode.EXCLUSIVE, 1, share),
				lock(LockMode.EXCLUSIVE, 0, passable), lock(LockMode.EXCLUSIVE, 0, passed),
				lock(LockMode.EXCLUSIVE, 0, earlier), lock(LockMode.EXCLUSIVE, 0, share, share),
				new LockState(LockMode.EXCLUSIVE, 0, List.of(share), List.of(place), Map.of(), null, 7),
				new LockState(LockMode.EXCLUSIVE, 0, List.of(share), List.of(), Map.of("b:1#1", NOW), null, 7)))
			.allSatisfy((other) -> {
				assertThat(LockRow.of(other, null).state()).isNotNull();
				assertThat(LockRow.of(other, null).toState(NOW)).isEqualTo(other);
			});
	}

	private static LockState lock(LockMode mode, int permits, Share... shares) {
		return new LockState(mode, permits, List.of(shares), List.of(), Map.of(), null, 7);
	}

	@Test
	void keyOfADigestedRowIsInItsText() {
		String key = "\u0000\uD83D\t" + "x".repeat(1000);
		assertThat(RowKeys.isPlain(key)).isFalse();
		LockRow row = LockRow.of(LockState.FREE, key);
		assertThat(row.state()).isNotNull();
		assertThat(StateText.keyIn(row.state())).isEqualTo(key);
	}

	@Test
	void keysThatDatabasesMayTakeForOneAnotherHaveOtherRows() {
		RowKeys keys = new RowKeys("holdfast");
		List<String> alike = List.of("a", "a ", "A", "a\u0000", "a\u00a0", "\uD83D", "?", "x".repeat(401),
				"x".repeat(402), keys.of("a ").substring("holdfast:".length()));
		assertThat(alike.stream().map(keys::of)).doesNotHaveDuplicates().allMatch((row) -> row.length() < 500);
		assertThat(keys.of("order:42")).isEqualTo("holdfast:order:42");
		assertThat(keys.keyOf("holdfast:order:42")).isEqualTo("order:42");
	}

	private LockState anyState() {
		List<Share> shares = some(() -> new Share(anyText(), anyText(), this.random.nextLong(), this.random.nextInt(9),
				anyTime(), this.random.nextBoolean(), this.random.nextBoolean() ? anyText() : null));
		List<Place> queue = some(() -> new Place(anyText(), anyMode(), this.random.nextInt(5),
				this.random.nextBoolean(), NOW + this.random.nextInt()));
		Map<String, Long> refused = new HashMap<>();
		some(this::anyText).forEach((claim) -> refused.put(claim, this.random.nextLong()));
		Share released = this.random.nextBoolean()
				? new Share("a:" + anyText(), "", this.random.nextLong(), 1, 0, false, null) : null;
		boolean held = !shares.isEmpty();
		return new LockState(held ? anyMode() : LockMode.EXCLUSIVE, held ? this.random.nextInt(3) : 0, shares, queue,
				refused, released, this.random.nextLong());
	}

	// As precise as a column
	private long anyTime() {
		return NOW + this.random.nextInt() * 1000L;
	}

	private LockMode anyMode() {
		return this.random.nextBoolean() ? LockMode.SHARED : LockMode.EXCLUSIVE;
	}

	private String anyText() {
		return this.random.ints(1 + this.random.nextInt(9), 0, 256)
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.append(this.random.nextBoolean() ? "\uD83D\uDE00%\t\n\\" : "")
			.toString();
	}

	private <T> List<T> some(Supplier<T> one) {
		return IntStream.range(0, this.random.nextInt(3)).mapToObj((i) -> one.get()).toList();
	}

}
