package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;
import org.springframework.util.Assert;

/**
 * A method that returns a publisher: each subscription runs the method under locks of its
 * own, and has ended when the publisher completes, fails or is cancelled.
 */
final class PublisherMethod extends LockedMethod {

	private final ReactiveAdapter adapter;

	PublisherMethod(Method method, LockPlan plan, LockRuntime runtime, ReactiveAdapter adapter) {
		super(method, plan, runtime);
		this.adapter = adapter;
	}

	@Override
	public Object run(LockCall call, Body body) {
		Mono<Section> section = Mono.fromCallable(() -> new Section(call, body));
		return this.adapter.fromPublisher(this.adapter.isMultiValue() ? many(section) : one(section));
	}

	private Flux<Object> many(Mono<Section> subscription) {
		return Flux.usingWhen(subscription,
				(section) -> publisher(section).flatMapMany(this::published).concatWith(released(section)),
				PublisherMethod::nothing, PublisherMethod::failed, PublisherMethod::cancelled);
	}

	private Mono<Object> one(Mono<Section> subscription) {
		return Mono.usingWhen(subscription,
				(section) -> publisher(section).flatMap((publisher) -> Mono.from(published(publisher)))
					.delayUntil((result) -> released(section))
					.switchIfEmpty(released(section)),
				PublisherMethod::nothing, PublisherMethod::failed, PublisherMethod::cancelled);
	}

	// Release the locks after the last element: a loss found then is the subscriber's
	// error, which would be wrapped if the clean-up had it
	private static Mono<Object> released(Section section) {
		return Mono.defer(() -> Mono.fromFuture(section.complete(), true)).then(Mono.empty());
	}

	private static Mono<Object> publisher(Section section) {
		return Mono.fromFuture(section.publisher(), true);
	}

	private Publisher<Object> published(Object publisher) {
		return this.adapter.toPublisher(publisher);
	}

	private static Mono<Void> nothing(Section section) {
		return Mono.empty();
	}

	private static Mono<?> failed(Section section, Throwable failure) {
		return Mono.fromFuture(section.fail(failure), true);
	}

	private static Mono<Void> cancelled(Section section) {
		return Mono.fromRunnable(section::cancel);
	}

	private final class Section {

		private final CompletableFuture<Object> publisher = new CompletableFuture<>();

		// Completes when the subscriber is done with the publisher
		private final CompletableFuture<@Nullable Object> work = new CompletableFuture<>();

		private final CompletableFuture<@Nullable Object> end;

		Section(LockCall call, Body body) {
			List<PlannedLock> wanted = locks(call);
			this.end = wanted.isEmpty() ? publish(body.again()).toCompletableFuture()
					: new AsyncLockedCall<>(runtime(), wanted, this::publish).run(call, body);
			this.end.whenComplete((done, failure) -> {
				if (failure != null) {
					this.publisher.completeExceptionally(failure);
				}
			});
		}

		private CompletionStage<@Nullable Object> publish(Body body) {
			try {
				Object result = body.proceed();
				Assert.state(result != null, "A method that runs under a lock returned null instead of a publisher");
				this.publisher.complete(result);
				return this.work;
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		CompletableFuture<Object> publisher() {
			return this.publisher;
		}

		CompletableFuture<?> complete() {
			this.work.complete(null);
			return this.end;
		}

		CompletableFuture<?> fail(Throwable failure) {
			this.work.completeExceptionally(failure);
			return this.end.handle((done, ended) -> null);
		}

		void cancel() {
			this.end.cancel(true);
		}

	}

}
