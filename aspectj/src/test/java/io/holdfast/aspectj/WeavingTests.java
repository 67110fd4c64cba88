package io.holdfast.aspectj;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

import io.holdfast.test.JavaCommand;
import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks that AspectJ weaves into classes, in a JVM with its agent.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class WeavingTests {

	private static Map<String, String> outcomes;

	@BeforeAll
	static void runWorker() throws IOException, InterruptedException {
		Process worker = worker();
		String output = new String(worker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(worker.waitFor()).as(output).isZero();
		outcomes = output.lines()
			.filter((line) -> line.startsWith("> "))
			.map((line) -> line.substring(2).split(" = ", 2))
			.collect(Collectors.toMap((line) -> line[0], (line) -> line[1]));
	}

	private static Process worker() throws IOException {
		String agent = Path.of(URI.create(Agent.class.getProtectionDomain().getCodeSource().getLocation().toString()))
			.toString();
		ProcessBuilder builder = new ProcessBuilder(
				JavaCommand.shortLived("-Xmx256m", "-javaagent:" + agent, WeavingWorker.class.getName()));
		builder.environment().putAll(Map.of("CLASSPATH", System.getProperty("java.class.path")));
		return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

	private static String outcome(String what) {
		return outcomes.getOrDefault(what, "nothing was told");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			never served                     | 0
			bean                             | 1
			self-invocation                  | 1
			private                          | 1
			final                            | 1
			object                           | 1
			composed                         | 1
			public method of annotated class | 1
			other method of annotated class  | 0
			run once                         | 1, then 0
			super                            | 11
			super of a publisher             | 10
			proxied class                    | true
			transaction                      | 1
			after commit                     | 1, then 0
			pending stage                    | 1
			completed stage                  | done
			before the subscription          | 0, 0
			first subscription               | 1, 1
			second subscription              | 1, 2
			50 subscriptions                 | [1], 52
			fallback of an object            | -1
			skipped                          | 0
			fallback                         | 2
			calls of the container           | [init, start, stop]
			newer application                | 0, of the newer one 1
			older application                | 1
			after the end, not locked        | a shelf
			proxy: bean                      | 1
			proxy: self-invocation           | 0
			proxy: object                    | 0
			""")
	void callIsLockedAsManyTimesAsItShouldBe(String what, String outcome) {
		assertThat(outcome(what)).isEqualTo(outcome);
	}

	@ParameterizedTest
	@CsvSource({ "not acquired,LockNotAcquiredException", "delayed stage,LockNotAcquiredException",
			"after the end,has been closed" })
	void methodDoesNotRunWithoutItsLock(String what, String reason) {
		assertThat(outcome(what)).contains(reason);
	}

	@ParameterizedTest
	@CsvSource({ "static,Stock.shared(String),static", "Inherited,Inherited.lock(String),does not find it there",
			"Deep,Deep.lock(String),does not find it there", "StaticLock,StaticLock.lock(String),static",
			"Overlooked,Overlooked.lock(String),has not woven the class",
			"bean of a child context,Overlooked.lock(String),has not woven the class",
			"Creating,Creating.lock(),for the creation of a bean",
			"Suspending,Suspending.work(String),a suspend function" })
	void methodThatWouldNotBeLockedIsRefused(String what, String method, String reason) {
		assertThat(outcome(what)).startsWith("InvalidDistributedLockException").contains(method, reason);
	}

}
