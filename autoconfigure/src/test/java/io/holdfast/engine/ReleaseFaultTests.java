package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.LockHandle;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.redis.RedisStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Requests and replies that get lost or late when locks are released or downgraded.
 */
@Tag("slow")
class ReleaseFaultTests extends AbstractNetworkTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	/**
	 * A lease that is not over before it is to be, on a machine that stands still for a
	 * moment.
	 */
	private static final Duration LONG = Duration.ofSeconds(3);

	@Test
	void releaseThatDoesNotGetThroughIsRepeatedInTheBackground() {
		LockHandle handle = this.one.template().acquire(this.key);
		this.network.loseRequests(Operation.RELEASE, 3);
		this.network.loseRequests(Operation.WITHDRAW, Integer.MAX_VALUE);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(handle.isHeld()).isFalse();
		await().until(this::isFree);
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void releaseWhoseReplyWasLostIsNoLoss() {
		LockHandle handle = this.one.template().acquire(this.key);
		this.network.loseReplies(Operation.RELEASE, 1);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		assertThat(isFree()).isTrue();
		await().until(() -> this.network.calls(Operation.RELEASE) == 2);
		assertThat(this.one.events().lost()).isEmpty();
	}

	@Test
	void countThatCouldNotBeReducedDoesNotKeepTheLock() {
		LockHandle outer = this.one.template().acquire(this.key);
		LockHandle inner = this.one.template().acquire(this.key);
		this.network.loseRequests(Operation.COUNT, 2);
		assertThat(inner.release()).isEqualTo(ReleaseResult.STILL_HELD);
		assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
	}

	@Test
	void pendingReleaseIsRepeatedForAsLongAsAnExtendedLeaseLasts() {
		LockHandle handle = this.one.template().acquire(request().lease(LONG).autoRenew(false));
		assertThat(handle.extend(Duration.ofMinutes(1))).isTrue();
		this.network.loseRequests(Operation.RELEASE, Integer.MAX_VALUE);
		assertThat(handle.release()).isEqualTo(ReleaseResult.PENDING);
		pass(LONG);
		this.network.loseRequests(Operation.RELEASE, 0);
		await().until(this::isFree);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void downgradeWithoutAnAnswerIsRepeatedWhileTheLockIsHeld(boolean carriedOut) {
		LockHandle writer = this.one.template().acquire(this.key);
		LockHandle reader = this.one.template().acquire(request().shared());
		if (carriedOut) {
			this.network.loseReplies(Operation.DOWNGRADE, 1);
		}
		else {
			this.network.loseRequests(Operation.DOWNGRADE, 2);
		}
		assertThat(writer.release()).isEqualTo(ReleaseResult.STILL_HELD);
		await().until(() -> isFree(request().shared()));
		assertThat(isFree()).isFalse();
		assertThat(reader.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(reader.release()).isEqualTo(ReleaseResult.RELEASED);
		assertThat(isFree()).isTrue();
		assertThat(this.one.events().lost()).isEmpty();
	}

}
