package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.DistributedLock;
import io.holdfast.test.Threads;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Aspects of an application between the lock and a method that another thread runs.
 */
@Tag("slow")
class AspectsOnOtherThreadsTests {

	private final AnnotationConfigApplicationContext context = LocalApplication.start(Warehouse.class, Audit.class);

	private final Warehouse warehouse = this.context.getBean(Warehouse.class);

	private final Audit audit = this.context.getBean(Audit.class);

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void adviceSeesACallThatReturnsAFuture() {
		assertThat(Threads.join(this.warehouse.move("a"))).isEqualTo("a moved");
		assertThat(this.audit.entries()).containsExactly("move a");
	}

	@Test
	void adviceSeesEachSubscription() {
		Mono<String> mono = this.warehouse.moveLater("a");
		assertThat(this.audit.entries()).isEmpty();
		assertThat(mono.repeat(1).collectList().block(Duration.ofSeconds(30))).containsExactly("a moved", "a moved");
		assertThat(this.audit.entries()).containsExactly("moveLater a", "moveLater a");
	}

	static class Warehouse {

		@DistributedLock("#key")
		CompletableFuture<String> move(String key) {
			return CompletableFuture.completedFuture(key + " moved");
		}

		@DistributedLock("#key")
		Mono<String> moveLater(String key) {
			return Mono.just(key + " moved");
		}

	}

	@Aspect
	static class Audit {

		private final List<String> entries = new CopyOnWriteArrayList<>();

		List<String> entries() {
			return this.entries;
		}

		@Around("execution(* io.holdfast.aop.AspectsOnOtherThreadsTests.Warehouse.*(..))")
		Object around(ProceedingJoinPoint call) throws Throwable {
			this.entries.add(call.getSignature().getName() + " " + call.getArgs()[0]);
			return call.proceed();
		}

	}

}
