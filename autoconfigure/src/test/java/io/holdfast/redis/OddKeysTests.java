package io.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.StoreView.HeldKeys;
import io.holdfast.engine.TestInstance;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Keys that are made of what anybody may have typed.
 */
@Tag("any-jdk")
@Tag("slow")
class OddKeysTests extends AbstractRedisLockStoreTests {

	private static final int KEYS = 3_000;

	private static final long SEED = 20_261_122;

	/**
	 * What means something to Redis, Lua, terminals, or to how locks are called.
	 */
	private static final List<String> PARTS = List.of("{", "}", "{}", "{a}", "\n", "\r\n", "\0", "\u001b[2J", " ", "\t",
			":", ":queue", ":token", ":shares", ":deadlines", ":fair", ":tagged", ":braced", "holdfast:", "instance:",
			"wake:", "*", "?", "[a]", "\\", "'", "\"", "]]", "--", "') redis.call('FLUSHALL') --",
			"\r\n*1\r\n$8\r\nFLUSHALL\r\n", "!a@1 ", "ä", "漢", "👩‍👩‍👧", "\u2028", "\u202e", "e\u0301", "é", "a", "A",
			"0", "_");

	private TestInstance instance;

	@BeforeEach
	void startInstance() {
		this.instance = newInstance();
	}

	@Test
	void eachKeyIsOneLockAndNoTwoCollide() {
		this.jedis.set("mine", "stays");
		Set<String> keys = oddKeys();
		List<LockHandle> locks = new ArrayList<>();
		for (String key : keys) {
			locks.add(this.instance.template().acquire(LockRequest.of(key).waitFor(Duration.ZERO).ownedByHandle()));
		}
		HeldKeys held = this.instance.registry().operations().view().heldKeys(100_000, Duration.ofMinutes(1));
		assertThat(held.keys()).hasSize(KEYS).hasSameElementsAs(keys);
		assertThat(locks).extracting(LockHandle::release).containsOnly(ReleaseResult.RELEASED);
		assertThat(this.jedis.keys("*")).filteredOn((name) -> !name.startsWith("holdfast:")).containsExactly("mine");
		assertThat(this.jedis.keys("holdfast:*")).filteredOn((name) -> !name.endsWith(":released"))
			.hasSize(KEYS)
			.allMatch((name) -> name.endsWith(":token"));
		LockKeys names = new LockKeys("holdfast");
		assertThat(keys)
			.allMatch((key) -> ClusterSlotHashUtil.isSameSlotForAllKeys(names.of(key).all().toArray(byte[][]::new)));
	}

	/**
	 * So that locks can be put into the slot of other keys.
	 */
	@ParameterizedTest
	@CsvSource({ "order:42, holdfast:{order:42}", "order:{42}, holdfast:order:{42}", "{eu}:order, holdfast:{eu}:order",
			"{eu}, holdfast:{eu}:tagged", "order{}, holdfast:{order{}}", "'}odd', 'holdfast:{_}}odd:braced'" })
	void keysWithBracesKeepTheirTag(String key, String name) {
		try (LockHandle lock = this.instance.template().acquire(key)) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(this.jedis.keys("*")).contains(name, name + ":token");
		}
	}

	private static Set<String> oddKeys() {
		Random random = new Random(SEED);
		Set<String> keys = new LinkedHashSet<>();
		while (keys.size() < KEYS) {
			StringBuilder key = new StringBuilder();
			int parts = (keys.size() % 1_000 == 0) ? 10_000 : 1 + random.nextInt(6);
			for (int i = 0; i < parts; i++) {
				key.append((random.nextInt(4) == 0) ? Character.toString(character(random))
						: PARTS.get(random.nextInt(PARTS.size())));
			}
			if (!key.toString().isBlank()) {
				keys.add(key.toString());
			}
		}
		return keys;
	}

	private static int character(Random random) {
		int character = random.nextInt(Character.MIN_SURROGATE);
		return (random.nextInt(8) == 0) ? Character.MIN_SUPPLEMENTARY_CODE_POINT + character : character;
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\ud83d", "\udc69", "\ud83d\ud83d\udc69", "\udc69\ud83d" })
	void halfAnEmojiIsRefused(String key) {
		assertThat(new String(key.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)).isNotEqualTo(key);
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of("fine", key))
			.withMessageContaining("valid Unicode")
			.withMessageContaining("\\ud");
	}

}
