package io.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.holdfast.redis.LockKeys.Names;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Names of keys in Redis.
 */
class LockKeysTests {

	private final LockKeys keys = new LockKeys("holdfast");

	@Test
	void namesAreAsDocumented() {
		Names names = this.keys.of("order:42");
		assertThat(text(names.lock())).isEqualTo("holdfast:{order:42}");
		assertThat(text(names.all().get(1))).isEqualTo("holdfast:{order:42}:token");
		assertThat(text(names.all().get(2))).isEqualTo("holdfast:{order:42}:queue");
		assertThat(this.keys.channelPrefix()).isEqualTo("holdfast:wake:");
	}

	@ParameterizedTest
	@CsvSource({ "order:{42}, holdfast:order:{42}", "{eu}:order, holdfast:{eu}:order", "{eu}, holdfast:{eu}:tagged",
			"order{}, holdfast:{order{}}", "'}odd', 'holdfast:{_}}odd:braced'" })
	void keysWithBracesKeepTheirTag(String key, String expected) {
		assertThat(text(this.keys.of(key).lock())).isEqualTo(expected);
	}

	@Test
	void noTwoKeysShareAName() {
		Random random = new Random(42);
		List<String> parts = List.of("a", "b", "{", "}", ":queue", ":token", ":released", ":deadlines", ":tagged",
				":braced", "_", ":");
		Map<String, String> owners = new HashMap<>();
		for (int i = 0; i < 100_000; i++) {
			StringBuilder key = new StringBuilder();
			int length = 1 + random.nextInt(6);
			for (int j = 0; j < length; j++) {
				key.append(parts.get(random.nextInt(parts.size())));
			}
			Names names = this.keys.of(key.toString());
			assertThat(this.keys.keyOf(names.lock())).isEqualTo(key.toString());
			for (byte[] name : names.all()) {
				String other = owners.put(text(name), key.toString());
				assertThat(other).as(text(name)).isIn(null, key.toString());
			}
			assertSameSlot(names);
		}
	}

	private static void assertSameSlot(Names names) {
		assertThat(ClusterSlotHashUtil.isSameSlotForAllKeys(names.all().toArray(byte[][]::new))).as(text(names.lock()))
			.isTrue();
	}

	@Test
	void prefixWithoutUseIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockKeys(" ")).withMessageContaining("keyPrefix");
		assertThatIllegalArgumentException().isThrownBy(() -> new LockKeys("a{b}")).withMessageContaining("braces");
	}

	private static String text(byte[] name) {
		return new String(name, StandardCharsets.UTF_8);
	}

}
