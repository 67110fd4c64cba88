package io.holdfast.benchmarks.harness;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.worker.WorkerTask;
import io.holdfast.benchmarks.worker.Workload;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link WorkerProcess}.
 */
class WorkerProcessTests {

	@Test
	void outputThatIsClosedUnderItsReaderIsAsGoodAsTheEnd() throws Exception {
		List<Throwable> uncaught = new CopyOnWriteArrayList<>();
		Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
		Thread.setDefaultUncaughtExceptionHandler((thread, ex) -> {
			if (thread.getName().equals("worker-output")) {
				uncaught.add(ex);
			}
		});
		try {
			WorkerProcess worker = WorkerProcess
				.start(new WorkerTask(Contender.HOLDFAST_JEDIS, Workload.HELD, 1, 0, 0, 1, Path.of("none")), List.of());
			List<Thread> readers = Thread.getAllStackTraces()
				.keySet()
				.stream()
				.filter((thread) -> thread.getName().equals("worker-output"))
				.toList();
			worker.close();
			assertThatIllegalStateException().isThrownBy(worker::awaitReady)
				.withMessageStartingWith("The worker ended");
			for (Thread reader : readers) {
				reader.join();
			}
			assertThat(uncaught).isEmpty();
		}
		finally {
			Thread.setDefaultUncaughtExceptionHandler(before);
		}
	}

}
