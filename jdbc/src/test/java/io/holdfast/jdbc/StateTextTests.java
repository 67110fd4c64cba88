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
