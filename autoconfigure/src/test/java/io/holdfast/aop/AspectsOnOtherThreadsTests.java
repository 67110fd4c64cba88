package io.holdfast.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.DistributedLock;
import io.holdfast.test.Threads;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.AfterReturning;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
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
		assertThat(this.audit.entries()).containsExactly("around move", "before a", "after move");
	}

	@Test
	void adviceSeesEachSubscription() {
		Mono<String> mono = this.warehouse.moveLater("a");
		assertThat(this.audit.entries()).isEmpty();
		assertThat(mono.repeat(1).collectList().block(Duration.ofSeconds(30))).containsExactly("a moved", "a moved");
		assertThat(this.audit.entries()).containsExactly("around moveLater", "before a", "after moveLater",
				"around moveLater", "before a", "after moveLater");
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

		private static final String CALLS = "execution(* io.holdfast.aop.AspectsOnOtherThreadsTests.Warehouse.*(..))";

		private final List<String> entries = new CopyOnWriteArrayList<>();

		List<String> entries() {
			return this.entries;
		}

		@Around(CALLS)
		Object around(ProceedingJoinPoint call) throws Throwable {
			this.entries.add("around " + call.getSignature().getName());
			return call.proceed();
		}

		@Before(CALLS + " && args(key)")
		void before(String key) {
			this.entries.add("before " + key);
		}

		@AfterReturning(CALLS)
		void after(JoinPoint call) {
			this.entries.add("after " + call.getSignature().getName());
		}

	}

}
