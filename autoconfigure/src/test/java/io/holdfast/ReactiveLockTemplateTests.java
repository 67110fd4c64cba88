package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.holdfast.engine.TestInstance;
import io.holdfast.local.LocalStores;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Publishers under a lock.
 */
class ReactiveLockTemplateTests {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private static final LockRequest BRIEF = LockRequest.of("key").lease(Duration.ofMillis(200)).autoRenew(false);

	private final LocalStores stores = new LocalStores();

	private final TestInstance instance = new TestInstance(this.stores::open);

	private final TestInstance other = new TestInstance(this.stores::open, OnLost.LOG);

	private final ReactiveLockTemplate template = new ReactiveLockTemplate(this.instance.template());

	@AfterEach
	void close() {
		this.instance.close();
		this.other.close();
	}

	private boolean isFree() {
		return this.other.template().tryExecute("key", (lock) -> true).isPresent();
	}

	@Test
	void eachSubscriptionAcquiresTheLockForItself() {
		AtomicInteger inside = new AtomicInteger();
		Mono<Integer> section = this.template.execute("key",
				(lock) -> Mono.fromCallable(inside::incrementAndGet)
					.delayElement(Duration.ofMillis(1))
					.doOnNext((entered) -> inside.decrementAndGet()));
		assertThat(this.instance.registry().held()).isEmpty();
		assertThat(Flux.range(0, 20)
			.flatMap((i) -> section.subscribeOn(Schedulers.parallel()), 20)
			.collectList()
			.block(LIMIT)).hasSize(20).containsOnly(1);
		assertThat(isFree()).isTrue();
	}

	@Test
	void resultIsPublishedAfterTheReleaseOfAMonoAndBeforeThatOfAFlux() {
		assertThat(this.template.execute("key", (lock) -> Mono.just(lock.isHeld()))
			.map((held) -> held && isFree())
			.block(LIMIT)).isTrue();
		assertThat(this.template.executeMany("key", (lock) -> Flux.just(1, 2))
			.map((i) -> isFree())
			.collectList()
			.block(LIMIT)).containsExactly(false, false);
		assertThat(isFree()).isTrue();
	}

	@Test
	void endsAsTheCodeDoes() {
		assertThat(this.template.execute("key", (lock) -> Mono.empty()).blockOptional(LIMIT)).isEmpty();
		assertThat(this.template.executeMany("key", (lock) -> Flux.empty()).collectList().block(LIMIT)).isEmpty();
		IllegalStateException failure = new IllegalStateException("no");
		List<Flux<Object>> failing = List.of(this.template.execute("key", (lock) -> Mono.error(failure)).flux(),
				this.template.executeMany("key", (lock) -> Flux.concat(Flux.just(1), Mono.error(failure))),
				this.template.executeMany("key", (lock) -> {
					throw failure;
				}));
		for (Flux<Object> section : failing) {
			assertThatIllegalStateException().isThrownBy(() -> section.blockLast(LIMIT)).isSameAs(failure);
			assertThat(isFree()).isTrue();
		}
		assertThatIllegalStateException().isThrownBy(() -> this.template.execute("key", (lock) -> null).block(LIMIT))
			.withMessageContaining("null instead of a publisher");
		assertThat(isFree()).isTrue();
	}

	@Test
	void codeDoesNotRunWithoutTheLock() {
		try (LockHandle lock = this.other.template().acquire("key")) {
			Mono<Object> section = this.template.execute(LockRequest.of("key").waitFor(Duration.ZERO), (own) -> {
				throw new AssertionError("called");
			});
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> section.block(LIMIT));
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void subscriberThatCancelsLeavesNothing() {
		AtomicInteger called = new AtomicInteger();
		Mono<Object> section = this.template.execute("key", (lock) -> {
			called.incrementAndGet();
			return Mono.never();
		});
		Disposable holder = section.subscribe();
		await().until(() -> called.get() == 1);
		Disposable waiter = section.subscribe();
		await().until(() -> this.instance.registry().status().waiting() == 1);
		waiter.dispose();
		await().until(() -> this.instance.registry().status().acquiring() == 0);
		assertThat(isFree()).isFalse();
		holder.dispose();
		await().until(this::isFree);
		assertThat(called).hasValue(1);
	}

	@Test
	void contextHasWhatTheSubscriberPutThereAndTheHandle() {
		Mono<String> inContext = Mono.deferContextual(
				(context) -> Mono.just(context.get("user") + " " + context.get(LockHandle.class).fencingToken()));
		Mono<String> section = this.template.execute("key",
				(lock) -> inContext.map((text) -> text + " " + lock.fencingToken()));
		String[] seen = section.contextWrite(Context.of("user", "me")).block(LIMIT).split(" ");
		assertThat(seen).startsWith("me").hasSize(3);
		assertThat(seen[1]).isEqualTo(seen[2]);
	}

	@Test
	void lossIsToldAtTheEndUnlessItIsLoggedOnly() {
		List<LockHandle> locks = new CopyOnWriteArrayList<>();
		Stream.of(this.template, new ReactiveLockTemplate(this.other.template())).forEach((each) -> {
			Mono<String> section = each.execute(BRIEF, (lock) -> {
				locks.add(lock);
				await().until(() -> !lock.isHeld());
				return Mono.just("done");
			});
			if (each == this.template) {
				assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> section.block(LIMIT));
			}
			else {
				assertThat(section.block(LIMIT)).isEqualTo("done");
			}
		});
		assertThat(locks).hasSize(2);
	}

}
