package io.holdfast.aop;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
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
		return Flux.usingWhen(section(call), (section) -> publisher(section).flatMapMany(this::published),
				(section) -> Mono.fromFuture(section.complete(), true),
				(section, failure) -> Mono.fromFuture(section.fail(failure), true), PublisherCalls::cancel);
	}

	private Mono<Object> one(MethodCall call) {
		return Mono.usingWhen(section(call),
				(section) -> publisher(section).flatMap((publisher) -> Mono.from(published(publisher))),
				(section) -> Mono.fromFuture(section.complete(), true),
				(section, failure) -> Mono.fromFuture(section.fail(failure), true), PublisherCalls::cancel);
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

	private static Mono<Void> cancel(PublisherSection section) {
		return Mono.fromRunnable(section::cancel);
	}

}
