package io.holdfast.aop;

import java.io.IOException;
import java.util.List;

import io.holdfast.test.WorkerProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications without the libraries that only some methods need, in JVMs of their own.
 */
@Tag("any-jdk")
@Tag("slow")
class OptionalLibrariesTests {

	@Test
	void otherMethodsNeedNeitherReactorNorKotlinNorAspectJNorContextPropagation() throws Exception {
		assertThat(outcome("OptionalLibrariesWorker$Plain", "reactor-core", "reactive-streams", "kotlin", "aspectj",
				"context-propagation"))
			.isEqualTo("free, not taken, 0, later");
	}

	@Test
	void otherStoresNeedNeitherRedisNorTransactions() throws Exception {
		assertThat(outcome("OptionalLibrariesWorker$Plain", "spring-data-redis", "jedis", "lettuce-core", "spring-tx"))
			.isEqualTo("free, not taken, 0, later");
	}

	@ParameterizedTest
	@ValueSource(strings = { "reactor-core", "kotlin-reflect" })
	void suspendFunctionIsRefusedWithoutWhatSpringNeedsForIt(String library) throws Exception {
		assertThatSuspendFunctionIsRefused(outcome("OptionalLibraries$Suspending", library));
	}

	@Test
	void suspendFunctionAndFlowsAreRefusedWithoutTheBridgeToReactor() throws Exception {
		String[] outcomes = outcome(
				"OptionalLibraries$Suspending OptionalLibraries$Flowing OptionalLibraries$Deferring",
				"kotlinx-coroutines-reactor")
			.split(" \\| ");
		assertThat(outcomes).hasSize(3);
		assertThatSuspendFunctionIsRefused(outcomes[0]);
		assertThat(List.of(outcomes[1], outcomes[2]))
			.allSatisfy((outcome) -> assertThat(outcome).contains("is on a method that returns before its work is done")
				.contains("org.jetbrains.kotlinx:kotlinx-coroutines-reactor"));
	}

	private static void assertThatSuspendFunctionIsRefused(String outcome) {
		assertThat(outcome)
			.contains("OptionalLibraries$Suspending.work(String) is on a suspend function, which Spring cannot call")
			.contains("Add io.projectreactor:reactor-core, org.jetbrains.kotlinx:kotlinx-coroutines-reactor and"
					+ " org.jetbrains.kotlin:kotlin-reflect to the class path.");
	}

	/**
	 * Return what becomes of beans, each in an application of its own.
	 */
	private static String outcome(String beans, String... without) throws IOException, InterruptedException {
		return WorkerProcess.outcome(OptionalLibrariesWorker.class, without, beans.split(" "));
	}

}
