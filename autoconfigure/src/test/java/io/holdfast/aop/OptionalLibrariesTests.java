package io.holdfast.aop;

import java.io.IOException;

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
	void plainMethodsNeedNeitherReactorNorKotlinNorAspectJ() throws Exception {
		assertThat(outcome("OptionalLibrariesWorker$Plain", "reactor-core", "reactive-streams", "kotlin", "aspectj"))
			.isEqualTo("free, not taken, 0");
	}

	@ParameterizedTest
	@ValueSource(strings = { "reactor-core", "kotlinx-coroutines-reactor", "kotlin-reflect" })
	void suspendFunctionIsRefusedWithoutWhatSpringNeedsForIt(String library) throws Exception {
		assertThat(outcome("OptionalLibraries$Suspending", library))
			.contains("OptionalLibraries$Suspending.work(String) is on a method that returns before its work is done")
			.contains("Add io.projectreactor:reactor-core, org.jetbrains.kotlinx:kotlinx-coroutines-reactor and"
					+ " org.jetbrains.kotlin:kotlin-reflect to the class path: it is a suspend function.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Flowing", "Deferring" })
	void flowIsRefusedWithoutWhatSpringNeedsForIt(String bean) throws Exception {
		assertThat(outcome("OptionalLibraries$" + bean, "kotlinx-coroutines-reactor"))
			.contains("is on a method that returns before its work is done")
			.contains("org.jetbrains.kotlinx:kotlinx-coroutines-reactor");
	}

	private static String outcome(String bean, String... without) throws IOException, InterruptedException {
		return WorkerProcess.outcome(OptionalLibrariesWorker.class, without,
				OptionalLibrariesWorker.class.getPackageName() + "." + bean);
	}

}
