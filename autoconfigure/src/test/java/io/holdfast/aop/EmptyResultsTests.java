package io.holdfast.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Empty results of types that callers can wait for; the others are seen in
 * {@link SkipTests}.
 */
class EmptyResultsTests {

	@ParameterizedTest
	@ValueSource(classes = { CompletableFuture.class, CompletionStage.class, Future.class })
	void futuresAreCompletedAndNew(Class<?> type) {
		Object empty = Skip.emptyResult(type);
		assertThat(empty).isInstanceOf(CompletableFuture.class);
		assertThat((CompletableFuture<?>) empty).isCompletedWithValue(null);
		assertThat(Skip.emptyResult(type)).isNotSameAs(empty);
	}

	@Test
	void publishersComplete() {
		assertThat(Flux.from(publisher(Mono.class)).collectList().block()).isEmpty();
		assertThat(Flux.from(publisher(Flux.class)).collectList().block()).isEmpty();
		assertThat(Flux.from(publisher(Publisher.class)).collectList().block()).isEmpty();
	}

	private static Publisher<?> publisher(Class<?> type) {
		return (Publisher<?>) type.cast(Skip.emptyResult(type));
	}

	@Test
	void otherTypesHaveNone() {
		assertThat(Skip.emptyResult(void.class)).isNull();
		assertThat(Skip.emptyResult(Object.class)).isNull();
		assertThat(Skip.emptyResult(Runnable.class)).isNull();
	}

}
