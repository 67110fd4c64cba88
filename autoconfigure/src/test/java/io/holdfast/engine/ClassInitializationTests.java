package io.holdfast.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.holdfast.OnLost;
import io.holdfast.local.LocalLockStore;
import io.holdfast.local.LocalLocks;
import io.holdfast.test.JavaCommand;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever the engine uses is initialized before the first caller comes: on a thread that
 * is short of stack or memory that might fail, and the class could never be used again.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class ClassInitializationTests {

	@Test
	void classesAreInitializedWithTheRegistry() throws Exception {
		List<String> initialized = Pattern.compile("Initializing '(io/holdfast/[^']+)'")
			.matcher(logOfAnotherJvm())
			.results()
			.map((found) -> found.group(1).replace('/', '.'))
			.toList();
		assertThat(classesWithStaticInitializers()).isNotEmpty().isSubsetOf(initialized);
	}

	private static List<String> classesWithStaticInitializers() {
		return new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
			.importPackages("io.holdfast.concurrent", "io.holdfast.engine", "io.holdfast.local")
			.stream()
			.flatMap((type) -> Stream.concat(Stream.of(type), enumsUsedBy(type)))
			.filter((type) -> type.getStaticInitializer().isPresent())
			.map(JavaClass::getName)
			.distinct()
			.toList();
	}

	private static Stream<JavaClass> enumsUsedBy(JavaClass type) {
		return type.getDirectDependenciesFromSelf()
			.stream()
			.map((dependency) -> dependency.getTargetClass())
			.filter((used) -> used.isEnum() && used.getPackageName().startsWith("io.holdfast"));
	}

	private static String logOfAnotherJvm() throws IOException, InterruptedException {
		ProcessBuilder builder = new ProcessBuilder(
				JavaCommand.shortLived("-Xlog:class+init=info", OtherJvm.class.getName()));
		builder.environment().putAll(Map.of("CLASSPATH", System.getProperty("java.class.path")));
		Process jvm = builder.redirectErrorStream(true).start();
		String log = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(jvm.waitFor()).as(log).isZero();
		return log;
	}

	/**
	 * Creates a registry, and does nothing with it.
	 */
	static final class OtherJvm {

		private OtherJvm() {
		}

		public static void main(String[] args) {
			EngineSettings settings = new EngineSettings(() -> "one", Duration.ofSeconds(30), Duration.ofSeconds(5),
					true, null, false, OnLost.THROW, 16, Duration.ofMillis(50), Duration.ZERO, 1000);
			new HoldfastLockRegistry(new LocalLockStore(new LocalLocks()), settings, List::of, EngineListener.NONE);
		}

	}

}
