package io.holdfast.quorum;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.holdfast.LockMode;
import io.holdfast.engine.Claims;
import io.holdfast.engine.LockStore.Check;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Gone;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.NodeStatus;
import io.holdfast.engine.LockStore.NotAnswered;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import io.holdfast.engine.LockStore.Renewal;
import io.holdfast.engine.LockStore.Renewed;
import io.holdfast.engine.LockStoreException;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Locks on five masters, some of which are down or differ.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumLockStoreTests extends AbstractFiveMastersTests {

	@Test
	void grantsOnAllNodesWithOneToken() {
		HoldId hold = hold("one:1");
		for (RedisProcess server : servers.all()) {
			server.with((jedis) -> assertThat(jedis.hgetAll("holdfast:{" + this.key + "}")).containsEntry("one:1", "1")
				.containsEntry("token", Long.toString(hold.grants().get(0).token())));
		}
		assertThat(acquire("two:1")).isInstanceOfSatisfying(Denied.class, (denied) -> {
			assertThat(denied.holder()).isEqualTo("one:1");
			assertThat(denied.remaining()).isGreaterThan(Duration.ofSeconds(20));
		});
		assertThat(Claims.held(this.store, this.key, "one:1")).containsExactly(hold);
		assertThat(this.store.release(hold)).isTrue();
		awaitClean(0, 1, 2, 3, 4);
		assertThat(this.store.release(hold)).isFalse();
	}

	private void writeForeignValues(int nodes, String suffix) {
		for (int index = 0; index < nodes; index++) {
			servers.server(index).with((jedis) -> jedis.set("holdfast:{" + this.key + "}" + suffix, "rubbish"));
		}
	}

	private void assertForeignValuesStay(int nodes, String suffix) {
		for (int index = 0; index < nodes; index++) {
			try (Jedis jedis = servers.server(index).connect()) {
				assertThat(jedis.get("holdfast:{" + this.key + "}" + suffix)).isEqualTo("rubbish");
				jedis.del("holdfast:{" + this.key + "}" + suffix);
			}
		}
	}

	/**
	 * What has been granted on nodes that nobody could ask a second time ends soon.
	 */
	private void assertThatNothingLasts() {
		assertThat(servers.all()).allSatisfy(
				(server) -> assertThat(lasts(server)).isLessThanOrEqualTo(PATIENCE.multipliedBy(4).toMillis() + 500));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ":token" })
	void valuesOfOthersOnAMinorityAreInNobodysWay(String suffix) {
		writeForeignValues(2, suffix);
		HoldId hold = hold("one:1");
		assertThat(this.store.renew(List.of(new Renewal(hold, LEASE)))).singleElement().isInstanceOf(Renewed.class);
		assertThat(this.store.release(hold)).isTrue();
		assertForeignValuesStay(2, suffix);
		assertThatNothingLasts();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ":token" })
	void valuesOfOthersOnAMajorityAreAnErrorThatLasts(String suffix) {
		writeForeignValues(3, suffix);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> acquire("one:1"))
			.satisfies((failure) -> assertThat(failure.isTransient()).isFalse())
			.havingCause()
			.withMessageContaining("'" + this.key + "'");
		assertForeignValuesStay(3, suffix);
		assertThatNothingLasts();
	}

	@Test
	void worksWithoutAMinority() {
		HoldId before = hold("one:1");
		kill(0, 1);
		assertThat(this.store.renew(List.of(new Renewal(before, LEASE)))).singleElement().isInstanceOf(Renewed.class);
		assertThat(this.store.renew(List.of(twice(before)))).singleElement().isInstanceOf(Renewed.class);
		assertThat(acquire("two:1")).isInstanceOf(Denied.class);
		assertThat(this.store.release(before)).isTrue();
		HoldId after = hold("two:1");
		assertThat(after.grants().get(0).token()).isGreaterThan(before.grants().get(0).token());
		assertThat(this.store.downgrade(after, 1, null)).isTrue();
		assertThat(this.store.release(after)).isTrue();
		Check check = this.store.check();
		assertThat(check.failure()).isNull();
		assertThat(check.nodes()).filteredOn((node) -> node.failure() != null)
			.extracting(NodeStatus::name)
			.containsExactly("127.0.0.1:" + servers.server(0).port(), "127.0.0.1:" + servers.server(1).port());
	}

	private static Claim claim(List<String> keys, String owner, LockMode mode) {
		return new Claim(keys, owner, 1, mode, false, LEASE, null);
	}

	/**
	 * Enough nodes have each key, but not both.
	 */
	@Test
	void severalKeysAreGoneWithoutAMajorityThatHasThemAll() {
		String other = "other-" + this.key;
		HoldId held = new HoldId("one:1",
				granted(claim(List.of(other, this.key), "one:1", LockMode.EXCLUSIVE)).grants());
		delete(other, 0, 1);
		assertThat(this.store.renew(List.of(new Renewal(held, LEASE)))).singleElement().isInstanceOf(Renewed.class);
		delete(this.key, 2);
		assertThat(this.store.renew(List.of(new Renewal(held, LEASE)))).singleElement().isInstanceOf(Gone.class);
		assertThat(this.store.release(held)).isFalse();
		awaitClean(0, 1, 2, 3, 4);
		assertThat(this.store.release(new HoldId("two:1", granted(other, "two:1", LEASE).grants()))).isTrue();
	}

	private void delete(String lock, int... indexes) {
		for (int index : indexes) {
			servers.server(index).with((jedis) -> jedis.del("holdfast:{" + lock + "}"));
		}
	}

	@Test
	void fairWaiterIsNotOvertakenWithoutAMinority() {
		HoldId held = hold("one:1");
		kill(1, 2);
		Claim fair = new Claim(List.of(this.key), "one:2", 1, LockMode.EXCLUSIVE, true, LEASE,
				new QueuePlace("one:2#1", Duration.ofMinutes(1)));
		assertThat(this.store.acquire(fair)).isInstanceOf(Denied.class);
		assertThat(this.store.release(held)).isTrue();
		assertThat(acquire("two:1")).isInstanceOf(Denied.class);
		assertThat(this.store.acquire(fair)).isInstanceOf(Granted.class);
	}

	@Test
	void checkFindsNodesThatAnswerAndGrantNothing() {
		outOfMemory("1", 0, 1);
		try {
			assertThat(this.store.check().failure()).isNull();
			assertThat(this.store.check().nodes()).filteredOn((node) -> node.failure() != null)
				.extracting(NodeStatus::failure)
				.hasSize(2)
				.allSatisfy((failure) -> assertThat(failure).hasMessageContaining("OOM"));
			outOfMemory("1", 2);
			assertThat(this.store.check().failure()).hasMessageContaining("2 of 5");
		}
		finally {
			outOfMemory("0", 0, 1, 2);
		}
	}

	private static void outOfMemory(String limit, int... nodes) {
		for (int node : nodes) {
			servers.server(node).with((jedis) -> jedis.configSet("maxmemory", limit));
		}
	}

	@Test
	void refusesWithoutAMajorityAndLeavesNothingBehind() {
		HoldId held = hold("one:1");
		this.store.release(held);
		awaitClean(0, 1, 2, 3, 4);
		kill(0, 1, 2);
		String tooFew = "2 of 5 Redis nodes answered, but 3 are needed; no answer: " + names(0, 1, 2);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> acquire("one:2"))
			.withMessage(tooFew)
			.satisfies((ex) -> assertThat(ex.isTransient()).isTrue());
		awaitClean(3, 4);
		assertThat(this.store.check().failure()).hasMessage(tooFew);
		assertThat(this.store.renew(List.of(new Renewal(held, LEASE)))).singleElement().isInstanceOf(NotAnswered.class);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.store.release(held));
	}

	/**
	 * Two nodes have the hold, two have lost it, and one does not say.
	 */
	@Test
	void saysWhichNodesDiffer() {
		HoldId held = hold("one:1");
		for (int i = 0; i < 2; i++) {
			servers.server(i).with((jedis) -> jedis.flushAll());
		}
		kill(4);
		String differ = "3 of 5 Redis nodes must agree (yes: %s; no: %s; no answer: %s)".formatted(names(2, 3),
				names(0, 1), names(4));
		await().untilAsserted(() -> assertThat(this.store.renew(List.of(new Renewal(held, LEASE)))).singleElement()
			.isInstanceOfSatisfying(NotAnswered.class, (answer) -> assertThat(answer.failure()).hasMessage(differ)
				.satisfies((failure) -> assertThat(failure.isTransient()).isTrue())));
		await().untilAsserted(() -> assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.store.downgrade(held, 1, null))
			.withMessage(differ));
	}

	private static Renewal twice(HoldId hold) {
		return new Renewal(hold, LEASE, 2, null);
	}

	private static String names(int... indexes) {
		return IntStream.of(indexes)
			.mapToObj((index) -> "127.0.0.1:" + servers.server(index).port())
			.collect(Collectors.joining(", "));
	}

	/**
	 * Only one node could make the tokens grow, and it is lost.
	 */
	@Test
	void tokensGrowAlthoughTheNodeThatWasAheadIsLost() {
		long ahead = (System.currentTimeMillis() + Duration.ofHours(1).toMillis()) * 1_000;
		servers.server(2).with((jedis) -> jedis.set("holdfast:{" + this.key + "}:token", Long.toString(ahead)));
		HoldId before = hold("one:1");
		assertThat(before.grants().get(0).token()).isGreaterThan(ahead);
		assertThat(this.store.release(before)).isTrue();
		awaitClean(0, 1, 2, 3, 4);
		servers.server(2).with((jedis) -> jedis.flushAll());
		HoldId after = hold("one:2");
		assertThat(after.grants().get(0).token()).isGreaterThan(before.grants().get(0).token());
		assertThat(this.store.release(after)).isTrue();
	}

	@Test
	void allMeansAll() {
		QuorumLockStore all = patient.open("all", 5);
		Outcome outcome = all.acquire(Claims.exclusive(this.key, "all:1", LEASE, 0, null));
		assertThat(outcome).isInstanceOf(Granted.class);
		assertThat(all.release(new HoldId("all:1", ((Granted) outcome).grants()))).isTrue();
		kill(2);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> all.acquire(Claims.exclusive(this.key, "all:2", LEASE, 0, null)))
			.withMessageContaining("4 of 5");
		awaitClean(0, 1, 3, 4);
	}

	@Test
	void lessThanAMajorityIsNoQuorum() {
		assertThatIllegalArgumentException().isThrownBy(() -> servers.open("one", 2));
		assertThatIllegalArgumentException().isThrownBy(() -> servers.open("one", 6));
	}

}
