package io.holdfast.redis;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.holdfast.LockException;
import io.holdfast.LockHandle;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.LockStore.Gone;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView.KeyState;
import io.holdfast.engine.TestInstance;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.atIndex;
import static org.awaitility.Awaitility.await;

/**
 * Values of other programs where locks are kept.
 */
@Tag("any-jdk")
class ForeignValueTests extends AbstractRedisLockStoreTests {

	private TestInstance instance;

	private final LockRequest oneTry = LockRequest.of("k").waitFor(Duration.ZERO);

	@BeforeEach
	void startInstance() {
		this.instance = newInstance();
	}

	enum Foreign {

		STRING((jedis) -> jedis.set(LOCK, "rubbish")), LIST((jedis) -> jedis.rpush(LOCK, "rubbish")),
		SET((jedis) -> jedis.sadd(LOCK, "rubbish")), HASH((jedis) -> jedis.hset(LOCK, "rubbish", "1")),
		SORTED_SET((jedis) -> jedis.zadd(LOCK, 1, "rubbish")),
		TOKEN_LIST((jedis) -> jedis.rpush(LOCK + ":token", "rubbish")),
		TOKEN_TEXT((jedis) -> jedis.set(LOCK + ":token", "rubbish"));

		private final Consumer<Jedis> write;

		Foreign(Consumer<Jedis> write) {
			this.write = write;
		}

	}

	@ParameterizedTest
	@EnumSource
	void isAnErrorThatNamesTheKeyAndStays(Foreign foreign) {
		foreign.write.accept(this.jedis);
		Map<String, byte[]> before = dump();
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> useLock().release())
			.withMessageContaining("'k'");
		assertThat(dump()).usingRecursiveComparison().isEqualTo(before);
		assertThat(this.instance.template().acquire("other").release()).isEqualTo(ReleaseResult.RELEASED);
	}

	/**
	 * Without a waiter, nothing is looked for there.
	 */
	@ParameterizedTest
	@ValueSource(strings = { ":queue", ":fair", ":shares" })
	void besideAnExclusiveLockIsInNoWay(String suffix) {
		this.jedis.set(LOCK + suffix, "rubbish");
		assertThat(useLock().release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.jedis.get(LOCK + suffix)).isEqualTo("rubbish");
	}

	private LockHandle useLock() {
		return this.instance.template().acquire(this.oneTry.fair());
	}

	private Map<String, byte[]> dump() {
		return this.jedis.keys(LOCK + "*")
			.stream()
			.collect(Collectors.toMap((key) -> key, (key) -> this.jedis.dump(key)));
	}

	@ParameterizedTest
	@ValueSource(strings = { ":queue", ":deadlines", ":fair" })
	void waitingBesideItIsAnErrorThatNamesTheKey(String suffix) {
		LockHandle held = useLock();
		this.jedis.set(LOCK + suffix, "rubbish");
		try (TestInstance other = RedisStores.instance(this.connections)) {
			assertThatExceptionOfType(LockException.class)
				.isThrownBy(() -> other.template().acquire(LockRequest.of("k").fair().waitFor(Duration.ofSeconds(20))))
				.withMessageContaining("'k'")
				.isNotInstanceOf(LockNotAcquiredException.class);
		}
		assertThat(this.jedis.get(LOCK + suffix)).isEqualTo("rubbish");
		assertThat(held.isHeld()).isTrue();
		assertThat(this.jedis.keys(LOCK + "*")).containsExactlyInAnyOrder(LOCK, LOCK + ":token", LOCK + suffix);
		this.jedis.del(LOCK + suffix);
		held.release();
		assertThat(useLock().release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(share().release()).isEqualTo(ReleaseResult.RELEASED);
	}

	private LockHandle share() {
		return this.instance.template().acquire(this.oneTry.shared());
	}

	@ParameterizedTest
	@ValueSource(strings = { "inf", "0x7fffffffffffffff", "9007199254740993", "9007199254740991", "-5", "3.7", "" })
	void lastTokenThatIsNoneStays(String foreign) {
		this.jedis.set(LOCK + ":token", foreign);
		for (LockRequest request : List.of(this.oneTry, this.oneTry.shared())) {
			assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.instance.template().acquire(request))
				.withMessageContaining("Redis failed on lock 'k'")
				.withMessageContaining("What should be the last fencing token is none");
		}
		assertThat(this.jedis.get(LOCK + ":token")).isEqualTo(foreign);
		assertThat(this.jedis.exists(LOCK)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "rubbish", "1e300", "9007199254740993", "3.7" })
	void lastTokenThatIsNoneKeepsNobodyFromReleasing(String foreign) {
		LockHandle held = useLock();
		this.jedis.set(LOCK + ":token", foreign);
		assertThat(held.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.jedis.get(LOCK + ":token")).isEqualTo(foreign);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ":token", ":queue" })
	void namesTheLocksAmongWhichItIs(String suffix) {
		this.jedis.set(LOCK + suffix, "rubbish");
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> this.instance.template().acquire(LockRequest.of("a", "k", "z")))
			.withMessageContaining("Redis failed on lock 'a, k, z'");
		await().until(() -> this.jedis.keys("holdfast:*").stream().allMatch(ForeignValueTests::isTokenOrForeign));
	}

	private static boolean isTokenOrForeign(String name) {
		return name.matches(".*:(token|released)") || name.startsWith(LOCK);
	}

	@Test
	void sharingBesideItIsAnErrorThatNamesTheKey() {
		this.jedis.zadd(LOCK + ":shares", 1, "rubbish");
		byte[] before = this.jedis.dump(LOCK + ":shares");
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> this.instance.template().acquire(this.oneTry.shared()))
			.withMessageContaining("'k'")
			.isNotInstanceOf(LockNotAcquiredException.class);
		assertThat(this.jedis.dump(LOCK + ":shares")).isEqualTo(before);
		assertThat(this.jedis.exists(LOCK)).isFalse();
	}

	@ParameterizedTest
	@EnumSource(names = { "STRING", "LIST", "SET", "SORTED_SET" })
	void holderWhoseLockItReplacesHasLostIt(Foreign foreign) {
		LockHandle exclusive = useLock();
		LockHandle shared = this.instance.template().acquire(LockRequest.of("s").shared());
		this.jedis.del(LOCK);
		foreign.write.accept(this.jedis);
		this.jedis.copy(LOCK, "holdfast:{s}", true);
		Map<String, byte[]> before = dump();
		assertThat(exclusive.extend(Duration.ofMinutes(1))).isFalse();
		assertThat(shared.extend(Duration.ofMinutes(1))).isFalse();
		assertThat(exclusive.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(shared.release()).isEqualTo(ReleaseResult.LOST);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.instance.registry().operations().forceRelease("k", null, Duration.ofSeconds(20)))
			.withMessageContaining("'k'");
		assertThat(this.instance.registry().operations().view().look(List.of("k")))
			.singleElement(InstanceOfAssertFactories.type(KeyState.class))
			.extracting(KeyState::problem, InstanceOfAssertFactories.STRING)
			.contains("WRONGTYPE");
		assertThat(this.instance.registry().operations().view().heldKeys(1_000, Duration.ofSeconds(10)).keys())
			.isEmpty();
		assertThat(dump()).usingRecursiveComparison().isEqualTo(before);
	}

	/**
	 * They are renewed in one call.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "", ":shares" })
	void whatItReplacesKeepsNoOtherLockFromBeingRenewed(String suffix) {
		LockHandle shared = this.instance.template().acquire(this.oneTry.shared());
		LockHandle other = this.instance.template().acquire(LockRequest.of("other"));
		this.jedis.set(LOCK + suffix, "rubbish");
		List<Renewal> both = this.instance.registry()
			.operations()
			.heldLocks()
			.stream()
			.map((lock) -> new Renewal(lock.id(), Duration.ofMinutes(1)))
			.sorted(Comparator.comparing((renewal) -> renewal.hold().keys().get(0)))
			.toList();
		assertThat(this.instance.store().renew(both)).hasSize(2)
			.satisfies((outcome) -> assertThat(outcome).isInstanceOf(Gone.class), atIndex(0))
			.satisfies((outcome) -> assertThat(outcome).isInstanceOf(Renewed.class), atIndex(1));
		assertThat(shared.release()).isEqualTo(ReleaseResult.LOST);
		assertThat(other.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(this.jedis.get(LOCK + suffix)).isEqualTo("rubbish");
	}

	@ParameterizedTest
	@ValueSource(strings = { "rubbish", "exclusive", "shared" })
	void hashOfAnotherProgramIsALockThatIsHeld(String mode) {
		this.jedis.hset(LOCK, Map.of("some", "field", "mode", mode, "token", "rubbish"));
		for (LockRequest request : List.of(this.oneTry, this.oneTry.fair(), this.oneTry.shared())) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.instance.template().acquire(request))
				.withMessageContaining("'k'");
		}
		assertThat(this.instance.registry().operations().forceRelease("k", null, Duration.ofSeconds(20)).isReleased())
			.isFalse();
		assertThat(this.jedis.hgetAll(LOCK)).isEqualTo(Map.of("some", "field", "mode", mode, "token", "rubbish"));
		assertThat(this.jedis.ttl(LOCK)).isNegative();
	}

}
