package io.holdfast;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import org.springframework.util.Assert;

/**
 * Runs publishers of Reactor under a lock.
 *
 * <p>
 * The lock is acquired at each subscription, without blocking a thread during the wait,
 * and released when that has completed, failed or been cancelled; the subscriber sees the
 * completion after the release. The {@link LockHandle} owns the lock: it is not
 * reentrant. It is also in the context of the publisher, by its class.
 *
 * <p>
 * A lock that is requested in a reactive transaction is kept until the transaction has
 * completed, as a {@link LockTemplate} does with other transactions. If the lock is lost
 * before the commit, the transaction is rolled back, and its subscriber gets a
 * {@link LockLostException}; not with {@link OnLost#LOG}, or if the transaction only
 * reads.
 *
 * @since 0.1.0
 * @see DistributedLock
 */
public class ReactiveLockTemplate {

	private final LockTemplate template;

	private final Function<LockRequest, Mono<AsyncExecution.Binding>> transactions;

	/**
	 * Create a template.
	 * @param template acquires the locks, and says what to do when one is lost and
	 * whether locks are kept until a transaction has completed
	 */
	public ReactiveLockTemplate(LockTemplate template) {
		Assert.notNull(template, "'template' must not be null");
		this.template = template;
		this.transactions = template.releasesAfterTransaction()
				? (request) -> ReactiveTransaction.ofSubscriber(request, template.onLost())
				: (request) -> Mono.just(AsyncExecution.Binding.NONE);
	}

	/**
	 * Run code under the exclusive lock of a key, with the configured defaults.
	 * @param <T> type of the result
	 * @param key the key to lock
	 * @param action the code to run, called at each subscription
	 * @return publishes as {@link #execute(LockRequest, Function)}
	 */
	public <T> Mono<T> execute(String key, Function<LockHandle, Mono<T>> action) {
		return execute(LockRequest.of(key), action);
	}

	/**
	 * Run code under a lock.
	 * @param <T> type of the result
	 * @param request what to lock and how
	 * @param action the code to run, called at each subscription on a thread of Holdfast,
	 * which it may block
	 * @return publishes the code's result, its end or its failure, once the lock is
	 * released; a {@link LockNotAcquiredException} or a {@link LockUnavailableException}
	 * when the code did not run; a {@link LockLostException} when the code ended normally
	 * and the lock was lost meanwhile
	 */
	public <T> Mono<T> execute(LockRequest request, Function<LockHandle, Mono<T>> action) {
		Assert.notNull(action, "'action' must not be null");
		return executeMany(request, (lock) -> {
			Mono<T> mono = action.apply(lock);
			return (mono != null) ? mono.flux() : null;
		}).singleOrEmpty();
	}

	/**
	 * Run code with several results under the exclusive lock of a key, with the
	 * configured defaults.
	 * @param <T> type of the results
	 * @param key the key to lock
	 * @param action the code to run, called at each subscription
	 * @return publishes as {@link #executeMany(LockRequest, Function)}
	 */
	public <T> Flux<T> executeMany(String key, Function<LockHandle, Flux<T>> action) {
		return executeMany(LockRequest.of(key), action);
	}

	/**
	 * Run code with several results under a lock.
	 * @param <T> type of the results
	 * @param request what to lock and how
	 * @param action the code to run, called at each subscription on a thread of Holdfast,
	 * which it may block
	 * @return publishes the code's results while the lock is held, and then its end as
	 * {@link #execute(LockRequest, Function)}
	 */
	public <T> Flux<T> executeMany(LockRequest request, Function<LockHandle, Flux<T>> action) {
		Assert.notNull(request, "'request' must not be null");
		Assert.notNull(action, "'action' must not be null");
		return Flux.usingWhen(
				this.transactions.apply(request)
					.map((binding) -> new Section<>(this.template, request, action, binding)),
				Section::publisher, (section) -> Mono.empty(), Section::failed, Section::cancelled);
	}

	private static final class Section<T> {

		private final CompletableFuture<Flux<T>> started = new CompletableFuture<>();

		// Completes when the subscriber is done with what has been started
		private final CompletableFuture<@Nullable Void> work = new CompletableFuture<>();

		private final CompletableFuture<@Nullable Void> end;

		Section(LockTemplate template, LockRequest request, Function<LockHandle, Flux<T>> action,
				AsyncExecution.Binding binding) {
			this.end = template.executeAsync(request, (lock) -> start(lock, action), binding);
			this.end.whenComplete((done, failure) -> this.started
				.completeExceptionally((failure != null) ? failure : notRun(template)));
		}

		private CompletionStage<@Nullable Void> start(LockHandle lock, Function<LockHandle, Flux<T>> action) {
			Flux<T> flux = action.apply(lock);
			Assert.state(flux != null, "The code to run under a lock returned null instead of a publisher");
			this.started.complete(flux.contextWrite(Context.of(LockHandle.class, lock)));
			return this.work;
		}

		private static IllegalStateException notRun(LockTemplate template) {
			return new IllegalStateException(("%s has not run the code under the lock, and has not refused to. "
					+ "If it is a mock, use a spy (@MockitoSpyBean)")
				.formatted(template.getClass().getName()));
		}

		Flux<T> publisher() {
			return Mono.fromFuture(this.started, true).flatMapMany(Function.identity()).concatWith(released());
		}

		// Release the lock after the last element: a loss found then is the subscriber's
		// error, which would be wrapped if the clean-up had it
		private Mono<T> released() {
			return Mono.defer(() -> {
				this.work.complete(null);
				return Mono.fromFuture(this.end, true).then(Mono.empty());
			});
		}

		Mono<?> failed(Throwable failure) {
			this.work.completeExceptionally(failure);
			return Mono.fromFuture(this.end.handle((done, ended) -> true), true);
		}

		Mono<Void> cancelled() {
			return Mono.fromRunnable(() -> this.end.cancel(true));
		}

	}

}
