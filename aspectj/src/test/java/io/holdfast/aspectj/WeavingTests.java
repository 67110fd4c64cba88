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
import org.junit.jupiter.api.Test;
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
	@CsvSource({ "bean", "self-invocation", "private", "final", "object", "composed",
			"public method of annotated class" })
	void methodIsLockedOnce(String what) {
		assertThat(outcome(what)).isEqualTo("1");
	}

	@Test
	void methodRunsOnce() {
		assertThat(outcome("run once")).isEqualTo("1, then 0");
		assertThat(outcome("run hourly")).isEqualTo("1, then 0");
	}

	@Test
	void methodsThatAreNotMeantAreNotLocked() {
		assertThat(outcome("other method of annotated class")).isEqualTo("0");
	}

	@Test
	void methodsOfSuperclassesHaveLocksOfTheirOwn() {
		assertThat(outcome("super")).isEqualTo("11");
		assertThat(outcome("super of a publisher")).isEqualTo("10");
	}

	@Test
	void lockWithinATransactionIsReleasedAfterTheCommit() {
		assertThat(outcome("proxied class")).isEqualTo("true");
		assertThat(outcome("transaction")).isEqualTo("1");
		assertThat(outcome("after commit")).isEqualTo("1, then 0");
	}

	@Test
	void stageIsLockedUntilItCompletes() {
		assertThat(outcome("pending stage")).isEqualTo("1");
		assertThat(outcome("completed stage")).isEqualTo("done");
	}

	@Test
	void eachSubscriptionRunsTheMethodAndWhatElseIsWovenIntoIt() {
		assertThat(outcome("before the subscription")).isEqualTo("0, 0");
		assertThat(outcome("first subscription")).isEqualTo("1, 1");
		assertThat(outcome("second subscription")).isEqualTo("1, 2");
		assertThat(outcome("50 subscriptions")).isEqualTo("[1], 52");
	}

	@Test
	void methodDoesNotRunWithoutItsLock() {
		assertThat(outcome("not acquired")).startsWith("LockNotAcquiredException");
		assertThat(outcome("delayed stage")).contains("LockNotAcquiredException");
		assertThat(outcome("fallback of an object")).isEqualTo("-1");
		assertThat(outcome("skipped")).isEqualTo("0");
		assertThat(outcome("fallback")).isEqualTo("2");
	}

	@Test
	void staticMethodIsRefusedWhenItIsCalled() {
		assertThat(outcome("static")).startsWith("InvalidDistributedLockException")
			.contains("Stock.shared(String)", "static");
	}

	@ParameterizedTest
	@CsvSource({ "Inherited,AspectJ does not find it there", "Deep,AspectJ does not find it there",
			"StaticLock,the method is static", "BadKey,#kee", "Overlooked,AspectJ has not woven the class" })
	void beanThatWouldNotBeLockedIsRefused(String bean, String reason) {
		assertThat(outcome(bean)).startsWith("InvalidDistributedLockException")
			.contains(bean + ".lock(String)", reason);
	}

	@Test
	void methodsThatTheContainerCallsOnTheObjectAreLocked() {
		assertThat(outcome("calls of the container")).isEqualTo("[init, afterPropertiesSet, start, stop]");
	}

	@ParameterizedTest
	@CsvSource({ "Destroyed.lock,the container calls the method when locks have been released",
			"LateStopping.stop,the bean stops in phase 0", "Creating.lock,for the creation of a bean" })
	void methodThatTheContainerCallsAtAnotherTimeIsRefused(String method, String reason) {
		assertThat(outcome(method.split("\\.")[0])).startsWith("InvalidDistributedLockException")
			.contains(method + "()", reason);
	}

	@Test
	void suspendFunctionOfABeanIsRefused() {
		assertThat(outcome("Suspending")).startsWith("InvalidDistributedLockException")
			.contains("Suspending.work(String)", "a suspend function runs its woven code again");
	}

	@Test
	void nothingIsLockedBeforeAnApplicationWantsIt() {
		assertThat(outcome("never served")).isEqualTo("0");
	}

	@Test
	void newestApplicationLocks() {
		assertThat(outcome("newer application")).isEqualTo("0, of the newer one 1");
		assertThat(outcome("older application")).isEqualTo("1");
	}

	@Test
	void methodIsRefusedAfterTheApplicationHasEnded() {
		assertThat(outcome("after the end")).startsWith("IllegalStateException").contains("has been closed");
		assertThat(outcome("after the end, not locked")).isEqualTo("a shelf");
	}

	@Test
	void wovenLocksDoNothingWhereThereAreProxies() {
		assertThat(outcome("proxy: bean")).isEqualTo("1");
		assertThat(outcome("proxy: self-invocation")).isEqualTo("0");
		assertThat(outcome("proxy: object")).isEqualTo("0");
	}

}
