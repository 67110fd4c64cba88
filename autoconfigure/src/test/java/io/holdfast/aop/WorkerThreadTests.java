package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockTemplate;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Locked methods that Spring runs on other threads.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class WorkerThreadTests {

	private final AnnotationConfigApplicationContext context = LocalApplication.start(Warehouse.class, Workers.class);

	private final Warehouse warehouse = this.context.getBean(Warehouse.class);

	@AfterEach
	void close() {
		this.warehouse.work().complete("done");
		this.context.close();
	}

	private boolean isLocked(String key) {
		return Threads.call(() -> this.context.getBean(LockTemplate.class).tryExecute(key, (lock) -> true)).isEmpty();
	}

	@Test
	void asyncMethodLocksOnTheThreadThatDoesTheWork() {
		this.warehouse.clean("a");
		Threads.await(this.warehouse.begun());
		assertThat(this.warehouse.thread().getName()).isNotEqualTo(Thread.currentThread().getName())
			.doesNotStartWith("holdfast-");
		assertThat(isLocked("a")).isTrue();
		this.warehouse.work().complete("cleaned");
		await().until(() -> !isLocked("a"));
	}

	@Test
	void asyncMethodThatReturnsAFutureLocksUntilThatCompletes() {
		CompletableFuture<String> result = this.warehouse.move("a");
		Threads.await(this.warehouse.begun());
		assertThat(this.warehouse.thread().getName()).isNotEqualTo(Thread.currentThread().getName())
			.doesNotStartWith("holdfast-");
		assertThat(isLocked("a")).isTrue();
		this.warehouse.work().complete("moved");
		assertThat(Threads.join(result)).isEqualTo("moved");
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void asyncMethodWhoseThreadIsInterruptedLocksUntilItsFutureCompletes() {
		CompletableFuture<String> result = this.warehouse.move("a");
		Threads.await(this.warehouse.begun());
		Thread worker = this.warehouse.thread();
		worker.interrupt();
		await().until(() -> !worker.isInterrupted() && worker.getState() == Thread.State.WAITING);
		assertThat(isLocked("a")).isTrue();
		this.warehouse.work().complete("moved");
		assertThat(Threads.join(result)).isEqualTo("moved");
		await().until(() -> !isLocked("a"));
	}

	@Test
	void asyncMethodThatIsInterruptedWithoutItsLockEnds() {
		CompletableFuture<String> result = this.warehouse.moveQuickly("a");
		Threads.await(this.warehouse.begun());
		await().until(() -> !isLocked("a"));
		this.warehouse.thread().interrupt();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> Threads.join(result));
	}

	@Test
	void asyncMethodTellsItsFailure() {
		CompletableFuture<String> result = this.warehouse.move("a");
		this.warehouse.work().completeExceptionally(new IllegalArgumentException("business"));
		assertThatIllegalArgumentException().isThrownBy(() -> Threads.join(result)).withMessage("business");
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void asyncMethodDoesNotRunWithoutItsLock() {
		LocalApplication.whileHeldElsewhere(this.context, "a",
				() -> assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> Threads.join(this.warehouse.move("a"))));
		assertThat(this.warehouse.begun().getCount()).isOne();
	}

	@Test
	void scheduledMethodLocksOnTheThreadThatDoesTheWork() {
		Threads.await(this.warehouse.ticked());
		assertThat(this.warehouse.tickThread()).isNotEqualTo(Thread.currentThread().getName())
			.doesNotStartWith("holdfast-");
	}

	static Stream<Method> refused() {
		return RefusedMethods.in(WithoutEnd.class);
	}

	@ParameterizedTest
	@MethodSource("refused")
	void workThatNobodySeesTheEndOfIsRefused(Method method) {
		RefusedMethods.assertRefused(method);
	}

	@Test
	void responseWhoseBodyIsThereIsAccepted() {
		LocalApplication.with(FinishedBody.class)
			.run((context) -> assertThat(context.getBean(FinishedBody.class).work().getBody()).isEqualTo("done"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableScheduling
	static class Workers {

	}

	static class WithoutEnd {

		private static final String NO_END = "is on a method that returns before its work is done, and nothing says when that is: it returns ";

		@Refused(attribute = "", problem = NO_END + "java.util.concurrent.Future<java.lang.String>",
				action = "Return CompletableFuture or CompletionStage.")
		@DistributedLock("'key'")
		Future<String> future() {
			return new FutureTask<>(() -> "done");
		}

		@Refused(attribute = "", problem = NO_END + "java.util.concurrent.Callable<java.lang.String>",
				action = "Return CompletableFuture, or annotate a method that does the work itself.")
		@DistributedLock("'key'")
		Callable<String> callable() {
			return () -> "done";
		}

		@Refused(attribute = "",
				problem = NO_END + "org.springframework.web.context.request.async.DeferredResult<java.lang.String>",
				action = "Return CompletableFuture, or annotate a method that does the work itself.")
		@DistributedLock("'key'")
		DeferredResult<String> deferred() {
			return new DeferredResult<>();
		}

		@Refused(attribute = "",
				problem = NO_END + "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
				action = "Return CompletableFuture, or annotate a method that does the work itself.")
		@DistributedLock("'key'")
		StreamingResponseBody streamed() {
			return (output) -> output.write(1);
		}

		@Refused(attribute = "", problem = NO_END + "org.springframework.web.servlet.mvc.method.annotation.SseEmitter",
				action = "Return CompletableFuture, or annotate a method that does the work itself.")
		@DistributedLock("'key'")
		SseEmitter sent() {
			return new SseEmitter();
		}

		@Refused(attribute = "", problem = NO_END
				+ "org.springframework.http.ResponseEntity<org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody>",
				action = "Annotate a method that does the work itself.")
		@DistributedLock("'key'")
		ResponseEntity<StreamingResponseBody> streamedBody() {
			return ResponseEntity.ok((output) -> output.write(1));
		}

		@Refused(attribute = "",
				problem = NO_END
						+ "org.springframework.http.ResponseEntity<reactor.core.publisher.Flux<java.lang.String>>",
				action = "Annotate a method that does the work itself.")
		@DistributedLock("'key'")
		ResponseEntity<Flux<String>> publishedBody() {
			return ResponseEntity.ok(Flux.just("done"));
		}

		@Refused(attribute = "", problem = NO_END
				+ "reactor.core.publisher.Mono<org.springframework.http.ResponseEntity<reactor.core.publisher.Flux<java.lang.String>>>",
				action = "Annotate a method that does the work itself.")
		@DistributedLock("'key'")
		Mono<ResponseEntity<Flux<String>>> publishedBodyLater() {
			return Mono.just(publishedBody());
		}

		@Refused(attribute = "", problem = NO_END
				+ "java.util.concurrent.CompletableFuture<java.util.Optional<java.util.concurrent.CompletionStage<java.lang.String>>>",
				action = "Annotate a method that does the work itself.")
		@DistributedLock("'key'")
		CompletableFuture<Optional<CompletionStage<String>>> futureInAFuture() {
			return new CompletableFuture<>();
		}

		@Refused(attribute = "",
				problem = NO_END + "java.util.List<java.util.concurrent.CompletableFuture<java.lang.String>>",
				action = "Annotate a method that does the work itself.")
		@DistributedLock("'key'")
		List<CompletableFuture<String>> futures() {
			return List.of();
		}

	}

	static class FinishedBody {

		@DistributedLock("'key'")
		ResponseEntity<String> work() {
			return ResponseEntity.ok("done");
		}

		@DistributedLock("'key'")
		ResponseEntity<?> otherWork() {
			return ResponseEntity.ok().build();
		}

	}

	static class Warehouse {

		private final CompletableFuture<String> work = new CompletableFuture<>();

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch ticked = new CountDownLatch(1);

		private volatile Thread thread = Thread.currentThread();

		private volatile String tickThread = "none";

		CompletableFuture<String> work() {
			return this.work;
		}

		CountDownLatch begun() {
			return this.begun;
		}

		CountDownLatch ticked() {
			return this.ticked;
		}

		Thread thread() {
			return this.thread;
		}

		String tickThread() {
			return this.tickThread;
		}

		@Async
		@DistributedLock("#key")
		public void clean(String key) {
			LockAssert.assertHeld(key);
			begin();
			Threads.join(this.work);
		}

		@Async
		@DistributedLock("#key")
		public CompletableFuture<String> move(String key) {
			LockAssert.assertHeld(key);
			begin();
			return this.work;
		}

		@Async
		@DistributedLock(key = "#key", lease = "200ms", autoRenew = false)
		public CompletableFuture<String> moveQuickly(String key) {
			return move(key);
		}

		@Scheduled(fixedDelay = 50)
		@DistributedLock("'tick'")
		public void tick() {
			LockAssert.assertHeld("tick");
			this.tickThread = Thread.currentThread().getName();
			this.ticked.countDown();
		}

		private void begin() {
			this.thread = Thread.currentThread();
			this.begun.countDown();
		}

	}

}
