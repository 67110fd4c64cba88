package io.holdfast.aop;

import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;

/**
 * Calls that return a publisher: each subscription runs the method under locks of its
 * own, and has ended when the publisher completes, fails or is cancelled.
 */
final class PublisherCalls implements CallKind {

	private final ReactiveAdapter adapter;

	/**
	 * Create a kind.
	 * @param adapter knows the type that the methods return
	 */
	PublisherCalls(ReactiveAdapter adapter) {
		this.adapter = adapter;
	}

	@Override
	public Object run(MethodCall call) {
		return this.adapter.fromPublisher(this.adapter.isMultiValue() ? many(call) : one(call));
	}

	private Flux<Object> many(MethodCall call) {
		return Flux.usingWhen(section(call),
				(section) -> publisher(section).flatMapMany(this::published).concatWith(released(section)),
				PublisherCalls::nothing, PublisherCalls::failed, PublisherCalls::cancelled);
	}

	private Mono<Object> one(MethodCall call) {
		return Mono.usingWhen(section(call),
				(section) -> publisher(section).flatMap((publisher) -> Mono.from(published(publisher)))
					.delayUntil((result) -> released(section))
					.switchIfEmpty(released(section)),
				PublisherCalls::nothing, PublisherCalls::failed, PublisherCalls::cancelled);
	}

	/**
	 * Release the locks after the last element: a loss found then is the subscriber's
	 * error, which would be wrapped if the clean-up had it.
	 */
	private static Mono<Object> released(PublisherSection section) {
		return Mono.defer(() -> Mono.fromFuture(section.complete(), true)).then(Mono.empty());
	}

	private static Mono<PublisherSection> section(MethodCall call) {
		return Mono.fromCallable(() -> new PublisherSection(call));
	}

	private static Mono<Object> publisher(PublisherSection section) {
		return Mono.fromFuture(section.publisher(), true);
	}

	private Publisher<Object> published(Object publisher) {
		return this.adapter.toPublisher(publisher);
	}

	private static Mono<Void> nothing(PublisherSection section) {
		return Mono.empty();
	}

	private static Mono<?> failed(PublisherSection section, Throwable failure) {
		return Mono.fromFuture(section.fail(failure), true);
	}

	private static Mono<Void> cancelled(PublisherSection section) {
		return Mono.fromRunnable(section::cancel);
	}

}
