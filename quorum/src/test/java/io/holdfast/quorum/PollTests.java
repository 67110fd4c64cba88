package io.holdfast.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.test.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Questions to nodes, which answer without Redis here.
 */
@Tag("slow")
class PollTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	private static final Duration SHORT = Duration.ofSeconds(2);

	private final Node quick = node("quick");

	private final Node slow = node("slow");

	private final Punctuality punctuality = new Punctuality();

	private final CountDownLatch slowMayAnswer = new CountDownLatch(1);

	private final AtomicInteger asked = new AtomicInteger();

	private final List<String> told = new CopyOnWriteArrayList<>();

	private @Nullable CompletableFuture<Boolean> standstill;

	private static Node node(String name) {
		return new Node(new QuorumNode(name, new JedisConnectionFactory()), 0, "holdfast", Duration.ofHours(1));
	}

	@AfterEach
	void answer() {
		this.slowMayAnswer.countDown();
	}

	private <T> Poll<T> poll(Duration timeout, Function<Node, T> question) {
		return Poll.start(List.of(this.quick, this.slow), this.punctuality, timeout, question,
				(node) -> this.told.add("unasked " + node.name()));
	}

	private String name(Node node) {
		this.asked.incrementAndGet();
		if (node == this.slow) {
			awaitLatch();
		}
		return node.name();
	}

	private void late(Node node, @Nullable String answer) {
		this.told.add("late " + answer);
	}

	private void awaitLatch() {
		try {
			this.slowMayAnswer.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void lateAnswersAreToldAndNotCounted() {
		Poll<String> poll = poll(SHORT, this::name).await((answers) -> false, this::late);
		this.slowMayAnswer.countDown();
		await().untilAsserted(() -> assertThat(this.told).containsExactly("late slow"));
		assertThat(poll.answers()).containsOnlyKeys(this.quick);
	}

	@Test
	void timeForWhichTheCallerStandsStillDoesNotCount() {
		Poll<String> poll = poll(SHORT, this::name).await(this::decideAfterStandingStill, this::late);
		assertThat(poll.answers()).containsOnlyKeys(this.quick, this.slow);
		assertThat(Stream.of(this.quick, this.slow)).allMatch(this.punctuality::isPunctual);
		assertThat(this.told).isEmpty();
	}

	/**
	 * Have the caller stand still, as soon as it waits, for longer than the poll is open.
	 * Only when it goes on waiting may the slow node answer.
	 */
	private boolean decideAfterStandingStill(Poll<String> poll) {
		if (this.standstill == null) {
			this.standstill = Threads.start(() -> standStill(poll));
		}
		else if (this.standstill.isDone()) {
			this.slowMayAnswer.countDown();
		}
		return false;
	}

	private static boolean standStill(Poll<String> poll) {
		synchronized (poll) {
			await().pollDelay(SHORT.plusMillis(1)).until(() -> true);
			return true;
		}
	}

	@Test
	void requestsDoNotPileUp() {
		keepBusy(8 + 1_000);
		assertThat(this.slow.execute(() -> this.told.add("executed"))).isFalse();
		Poll<String> poll = poll(LONG, this::name).await((answers) -> false, this::late);
		assertThat(this.told).containsExactly("unasked slow");
		assertThat(poll.answers()).containsOnlyKeys(this.quick);
		this.slowMayAnswer.countDown();
		await().until(() -> this.slow.execute(() -> this.told.add("executed")));
		await().untilAsserted(() -> assertThat(this.told).contains("executed"));
	}

	private void keepBusy(int tasks) {
		assertThat(IntStream.range(0, tasks)).allMatch((i) -> this.slow.execute(this::awaitLatch));
	}

}
