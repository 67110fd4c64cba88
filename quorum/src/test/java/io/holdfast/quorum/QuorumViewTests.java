package io.holdfast.quorum;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.ForcedRelease;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.RecordedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What operators see and do when nodes differ, or do not answer.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumViewTests {

	private static final Duration AMPLE = Duration.ofSeconds(20);

	private final QuorumServers servers = new QuorumServers(3, Duration.ofSeconds(5));

	private TestInstance instance;

	private final RecordedLog log = new RecordedLog();

	@BeforeEach
	void start() {
		this.servers.start();
		this.instance = new TestInstance(this.servers::open);
	}

	@AfterEach
	void stop() {
		this.instance.close();
		this.servers.close();
		this.log.close();
	}

	private StoreView view() {
		return this.instance.registry().operations().view();
	}

	private StoreView disturbed(Map<Integer, IntConsumer> beforeCalls) {
		return this.servers.openDisturbed("operator", beforeCalls).view();
	}

	private static IntConsumer failingFrom(int first) {
		return (call) -> {
			if (call >= first) {
				throw new LockStoreException("the network is bad", null, true);
			}
		};
	}

	private void on(int server, Consumer<Jedis> action) {
		this.servers.server(server).with(action);
	}

	/**
	 * A quorum is enough for a grant; here, the others are to have it as well.
	 */
	private LockHandle acquireAtAllNodes() {
		LockHandle lock = this.instance.template().acquire("k");
		for (int server = 0; server < 3; server++) {
			on(server, (jedis) -> await().until(() -> jedis.hvals("holdfast:{k}").contains("1")));
		}
		return lock;
	}

	@Test
	void whatTooFewNodesReleaseByForceIsLogged() {
		LockHandle lock = acquireAtAllNodes();
		StoreView operator = disturbed(Map.of(1, failingFrom(3), 2, failingFrom(3)));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> operator.forceRelease("k", null, AMPLE))
			.withMessageContaining("1 of 3");
		assertThat(this.log.lines("was released by force at some nodes only", "'k'")).singleElement()
			.satisfies((line) -> assertThat(line.values()).containsEntry("token", "" + lock.fencingToken()));
		assertThat(lock.extend(AMPLE)).as("the other two still have it").isTrue();
	}

	@Test
	void whatOneOfTheNodesHadIsReleasedByForceAndTold() {
		LockHandle lock = acquireAtAllNodes();
		on(0, (jedis) -> jedis.del("holdfast:{k}"));
		this.servers.server(1).freeze();
		ForcedRelease release = view().forceRelease("k", null, AMPLE);
		this.servers.server(1).unfreeze();
		assertThat(release.released()).extracting(Holder::token).containsExactly(lock.fencingToken());
		assertThat(release.before().mode()).isEqualTo(LockMode.EXCLUSIVE);
	}

	@Test
	void whoeverGetsALockFromTheFirstNodesThatReleasedItKeepsIt() {
		LockHandle lock = acquireAtAllNodes();
		LockHandle[] next = new LockHandle[1];
		StoreView operator = disturbed(Map.of(2, (call) -> {
			if (call == 2) {
				lock.release();
				next[0] = this.instance.template().acquire("k");
			}
		}));
		ForcedRelease release = operator.forceRelease("k", null, AMPLE);
		assertThat(release.released()).extracting(Holder::token).doesNotContain(next[0].fencingToken());
		assertThat(next[0].extend(AMPLE)).isTrue();
	}

	@Test
	void grantThatDidNotCountWhenTheLockWasLookedAtIsNotReleasedByForce() {
		Map<Integer, IntConsumer> confirming = new HashMap<>();
		for (int server = 0; server < 3; server++) {
			int node = server;
			on(node, (jedis) -> jedis.hset("holdfast:{k}", Map.of("mode", "exclusive", "token", "12", "x:1", "0")));
			confirming.put(node, (call) -> {
				if (call == 2) {
					on(node, (jedis) -> jedis.hset("holdfast:{k}", "x:1", "1"));
				}
			});
		}
		assertThat(disturbed(confirming).forceRelease("k", null, AMPLE).isReleased()).isFalse();
		assertThat(view().look(List.of("k")).get(0).holders()).extracting(Holder::token).containsExactly(12L);
	}

	@Test
	void oddValueOnOneNodeIsNoProblemOnTwoItIs() {
		acquireAtAllNodes();
		on(0, (jedis) -> jedis.set("holdfast:{k}", "mine"));
		assertThat(view().look(List.of("k")).get(0).problem()).isNull();
		assertThat(view().look(List.of("k")).get(0).holders()).hasSize(1);
		on(1, (jedis) -> jedis.set("holdfast:{k}", "mine"));
		assertThat(view().look(List.of("k")).get(0).problem()).contains("WRONGTYPE");
	}

}
