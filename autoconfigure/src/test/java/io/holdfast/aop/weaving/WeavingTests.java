package io.holdfast.aop.weaving;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.holdfast.test.JavaCommand;
import io.holdfast.test.Threads;
import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks that AspectJ weaves into classes, in JVMs with its agent.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class WeavingTests {

	private static final Map<String, CompletableFuture<Map<String, String>>> WORKERS = Map.of("aspectj",
			Threads.start(() -> run("aspectj")), "proxy", Threads.start(() -> run("proxy")));

	private static String outcome(String mode, String what) {
		return Threads.join(WORKERS.get(mode)).getOrDefault(what, "nothing was told");
	}

	@ParameterizedTest
	@CsvSource({ "bean", "self-invocation", "private", "final", "object", "composed",
			"public method of annotated class" })
	void methodIsLockedOnce(String what) {
		assertThat(outcome("aspectj", what)).isEqualTo("1");
	}

	@Test
	void methodsThatAreNotMeantAreNotLocked() {
		assertThat(outcome("aspectj", "other method of annotated class")).isEqualTo("0");
	}

	@Test
	void allOfSeveralAnnotationsCount() {
		assertThat(outcome("aspectj", "repeated")).isEqualTo("2");
	}

	@Test
	void methodsOfSuperclassesHaveLocksOfTheirOwn() {
		assertThat(outcome("aspectj", "super")).isEqualTo("11");
		assertThat(outcome("aspectj", "super of a publisher")).isEqualTo("10");
	}

	@Test
	void lockWithinATransactionIsReleasedAfterTheCommit() {
		assertThat(outcome("aspectj", "proxied class")).isEqualTo("true");
		assertThat(outcome("aspectj", "transaction")).isEqualTo("1");
		assertThat(outcome("aspectj", "after commit")).isEqualTo("1, then 0");
	}

	@Test
	void stageIsLockedUntilItCompletes() {
		assertThat(outcome("aspectj", "pending stage")).isEqualTo("1");
		assertThat(outcome("aspectj", "completed stage")).isEqualTo("done");
	}

	@Test
	void eachSubscriptionRunsTheMethodAndWhatElseIsWovenIntoIt() {
		assertThat(outcome("aspectj", "before the subscription")).isEqualTo("0, 0");
		assertThat(outcome("aspectj", "first subscription")).isEqualTo("1, 1");
		assertThat(outcome("aspectj", "second subscription")).isEqualTo("1, 2");
		assertThat(outcome("aspectj", "50 subscriptions")).isEqualTo("[1], 52");
	}

	@Test
	void methodDoesNotRunWithoutItsLock() {
		assertThat(outcome("aspectj", "not acquired")).startsWith("LockNotAcquiredException");
		assertThat(outcome("aspectj", "delayed stage")).contains("LockNotAcquiredException");
		assertThat(outcome("aspectj", "fallback of an object")).isEqualTo("-1");
		assertThat(outcome("aspectj", "skipped")).isEqualTo("0");
		assertThat(outcome("aspectj", "fallback")).isEqualTo("2");
	}

	@Test
	void staticMethodIsRefusedWhenItIsCalled() {
		assertThat(outcome("aspectj", "static")).startsWith("InvalidDistributedLockException")
			.contains("Stock.shared(String)", "static");
	}

	@ParameterizedTest
	@CsvSource({ "Inherited,AspectJ does not find it there", "Deep,AspectJ does not find it there",
			"StaticLock,the method is static", "BadKey,#kee", "Overlooked,AspectJ has not woven the class" })
	void beanThatWouldNotBeLockedIsRefused(String bean, String reason) {
		assertThat(outcome("aspectj", bean)).startsWith("InvalidDistributedLockException")
			.contains(bean + ".lock(String)", reason);
	}

	@Test
	void methodsThatTheContainerCallsOnTheObjectAreLocked() {
		assertThat(outcome("aspectj", "calls of the container")).isEqualTo("[init, afterPropertiesSet, start, stop]");
	}

	@ParameterizedTest
	@CsvSource({ "Destroyed.lock,the container calls the method when locks have been released",
			"LateStopping.stop,the bean stops in phase 0", "Creating.lock,for the creation of a bean" })
	void methodThatTheContainerCallsAtAnotherTimeIsRefused(String method, String reason) {
		assertThat(outcome("aspectj", method.split("\\.")[0])).startsWith("InvalidDistributedLockException")
			.contains(method + "()", reason);
	}

	@Test
	void suspendFunctionOfABeanIsRefused() {
		assertThat(outcome("aspectj", "Suspending")).startsWith("InvalidDistributedLockException")
			.contains("Suspending.work(String)", "a suspend function runs its woven code again");
	}

	@Test
	void nothingIsLockedBeforeAnApplicationWantsIt() {
		assertThat(outcome("aspectj", "never served")).isEqualTo("0");
	}

	@Test
	void newestApplicationLocks() {
		assertThat(outcome("aspectj", "newer application")).isEqualTo("0, of the newer one 1");
		assertThat(outcome("aspectj", "older application")).isEqualTo("1");
	}

	@Test
	void methodIsRefusedAfterTheApplicationHasEnded() {
		assertThat(outcome("aspectj", "after the end")).startsWith("IllegalStateException").contains("has been closed");
		assertThat(outcome("aspectj", "after the end, not locked")).isEqualTo("a shelf");
	}

	@Test
	void wovenLocksDoNothingWhereThereAreProxies() {
		assertThat(outcome("proxy", "bean")).isEqualTo("1");
		assertThat(outcome("proxy", "self-invocation")).isEqualTo("0");
		assertThat(outcome("proxy", "object")).isEqualTo("0");
	}

	private static Map<String, String> run(String mode) {
		try {
			return outcomes(worker(mode));
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new AssertionError(ex);
		}
	}

	private static Map<String, String> outcomes(Process worker) throws IOException, InterruptedException {
		String output = new String(worker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(worker.waitFor()).as(output).isZero();
		return output.lines()
			.filter((line) -> line.startsWith("> "))
			.map((line) -> line.substring(2).split(" = ", 2))
			.collect(Collectors.toMap((line) -> line[0], (line) -> line[1]));
	}

	private static Process worker(String mode) throws IOException {
		String agent = Path.of(URI.create(Agent.class.getProtectionDomain().getCodeSource().getLocation().toString()))
			.toString();
		ProcessBuilder builder = new ProcessBuilder(
				JavaCommand.shortLived("-Xmx256m", "-javaagent:" + agent, WeavingWorker.class.getName(), mode));
		builder.environment().putAll(Map.of("CLASSPATH", System.getProperty("java.class.path")));
		return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

}
