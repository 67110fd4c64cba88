package io.holdfast.docs;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

/**
 * The code of the recipes.
 */
@Tag("any-jdk")
@GuideTest
@Import(Payments.class)
class RecipesTests {

	@Autowired
	private LockTemplate locks;

	@Autowired
	private LockRegistry registry;

	@Autowired
	private Payments payments;

	@Autowired
	private JdbcClient jdbc;

	@Test
	void httpAnswers() throws Exception {
		MockMvc mvc = MockMvcBuilders.standaloneSetup(new Failing()).setControllerAdvice(new LockProblems()).build();
		mvc.perform(get("/taken"))
			.andExpect(status().isConflict())
			.andExpect(jsonPath("$.status").value(409))
			.andExpect(jsonPath("$.detail").value("Another request is changing this"));
		mvc.perform(get("/unavailable"))
			.andExpect(status().isServiceUnavailable())
			.andExpect(header().string("Retry-After", "5"))
			.andExpect(jsonPath("$.status").value(503));
		mvc.perform(get("/lost"))
			.andExpect(status().isInternalServerError())
			.andExpect(jsonPath("$.status").value(500))
			.andExpect(jsonPath("$.detail").value(containsString("check before you repeat it")));
	}

	@Test
	void batchGoesOnWhereTheLockWasLost() {
		List<String> written = new ArrayList<>();
		Batch batch = new Batch(this.locks, (line, lock) -> {
			written.add(line);
			if (line.equals("b")) {
				this.registry.forceRelease("import");
				await().until(() -> !lock.extend(Duration.ofSeconds(10)));
			}
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> batch.load(List.of("a", "b", "c")));
		assertThat(batch.load(List.of("a", "b", "c"))).isTrue();
		assertThat(written).containsExactly("a", "b", "c");
	}

	@Test
	void paymentIsBookedOnceAndRefusedWithAnOlderToken() {
		createTables();
		this.jdbc.sql("insert into account (id, balance, token) values (7, 100, 0)").update();
		assertThat(this.payments.book(new Payment("p-1", 7, 30))).isTrue();
		assertThat(this.payments.book(new Payment("p-1", 7, 30))).isFalse();
		assertThat(balance()).isEqualTo(130);
		this.jdbc.sql("update account set token = ?").param(Long.MAX_VALUE).update();
		assertThatIllegalStateException().isThrownBy(() -> this.payments.book(new Payment("p-2", 7, 30)))
			.withMessageContaining("a later holder");
		assertThat(balance()).isEqualTo(130);
		assertThat(this.jdbc.sql("select id from payment").query(String.class).list()).containsExactly("p-1");
	}

	private void createTables() {
		CodeBlock.in(Path.of("../docs/recipes.md"))
			.stream()
			.filter((block) -> block.language().equals("sql"))
			.flatMap((block) -> Stream.of(block.text().split(";")))
			.forEach((statement) -> this.jdbc.sql(statement).update());
	}

	private long balance() {
		return this.jdbc.sql("select balance from account where id = 7").query(Long.class).single();
	}

	@RestController
	static class Failing {

		@GetMapping("/taken")
		String taken() {
			throw new LockNotAcquiredException("order:42", Duration.ZERO, "me");
		}

		@GetMapping("/unavailable")
		String unavailable() {
			throw new LockUnavailableException("Redis is away", null);
		}

		@GetMapping("/lost")
		String lost() {
			throw new LockLostException("order:42", "its lease ran out", null);
		}

	}

	static class Batch {

		private final LockTemplate locks;

		private final BiConsumer<String, LockHandle> writer;

		private final AtomicInteger progress = new AtomicInteger();

		Batch(LockTemplate locks, BiConsumer<String, LockHandle> writer) {
			this.locks = locks;
			this.writer = writer;
		}

		// snippet: batch
		/** Returns false if another instance is at it. */
		boolean load(List<String> lines) {
			LockRequest request = LockRequest.of("import").lease(Duration.ofSeconds(10)).maxHold(Duration.ofHours(1));
			return this.locks.tryExecuteWithoutResult(request, (lock) -> {
				int next = this.progress.get(); // where the run before this one stopped
				for (String line : lines.subList(next, lines.size())) {
					lock.ensureHeld(); // throws LockLostException
					write(line, lock);
					this.progress.incrementAndGet();
				}
			});
		}
		// end

		private void write(String line, LockHandle lock) {
			this.writer.accept(line, lock);
		}

	}

}
