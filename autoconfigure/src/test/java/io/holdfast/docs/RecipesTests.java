package io.holdfast.docs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.OnFailure;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

/**
 * The code of the recipes.
 */
@GuideTest
@Import(RecipesTests.Cleaning.class)
class RecipesTests {

	@Autowired
	private LockTemplate locks;

	@Autowired
	private Cleaning cleaning;

	@Test
	void httpAnswers() throws Exception {
		MockMvc mvc = MockMvcBuilders.standaloneSetup(new Failing()).setControllerAdvice(new LockProblems()).build();
		mvc.perform(get("/taken"))
			.andExpect(status().isConflict())
			.andExpect(jsonPath("$.status").value(409))
			.andExpect(jsonPath("$.detail").value("This is being changed by another request"));
		mvc.perform(get("/unavailable"))
			.andExpect(status().isServiceUnavailable())
			.andExpect(header().string("Retry-After", "5"))
			.andExpect(jsonPath("$.status").value(503));
	}

	@Test
	void scheduledJobIsSkippedWhereAnotherInstanceRunsIt() {
		this.cleaning.clean();
		new OtherInstance(this.locks).whileItHolds("clean-up", this.cleaning::clean);
		assertThat(this.cleaning.runs()).isOne();
	}

	@Test
	void batchStopsWhereTheLockIsLost() {
		List<List<String>> written = new ArrayList<>();
		Batch patient = new Batch(this.locks, written, Duration.ofSeconds(30));
		assertThat(patient.load(List.of(List.of("a"), List.of("b")))).hasValue(2);
		assertThat(written).hasSize(2);
		Batch brief = new Batch(this.locks, written, Duration.ofMillis(200));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> brief.load(List.of(List.of("a"), List.of("loses the lock"), List.of("c"))));
		assertThat(written).hasSize(4);
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

	}

	static class Cleaning {

		private int runs;

		public int runs() {
			return this.runs;
		}

		// snippet: scheduled-everywhere
		@Scheduled(fixedDelayString = "10s") // on all instances
		@DistributedLock(key = "'clean-up'", waitFor = "0", onFailure = OnFailure.SKIP, onUnavailable = OnFailure.SKIP)
		public void clean() {
			this.runs++;
		}
		// end

	}

	static class Batch {

		private final LockTemplate locks;

		private final List<List<String>> written;

		private final Duration lease = Duration.ofMillis(100);

		private final Duration maxHold;

		Batch(LockTemplate locks, List<List<String>> written, Duration maxHold) {
			this.locks = locks;
			this.written = written;
			this.maxHold = maxHold;
		}

		// snippet: batch
		Optional<Integer> load(List<List<String>> chunks) {
			LockRequest request = LockRequest.of("import").lease(this.lease).maxHold(this.maxHold);
			return this.locks.tryExecute(request, (lock) -> {
				int done = 0;
				for (List<String> chunk : chunks) {
					lock.ensureHeld(); // or a LockLostException
					write(chunk, lock);
					done++;
				}
				return done;
			});
		}
		// end

		private void write(List<String> chunk, LockHandle lock) {
			this.written.add(chunk);
			if (chunk.contains("loses the lock")) {
				await().until(() -> !lock.isHeld());
			}
		}

	}

}
