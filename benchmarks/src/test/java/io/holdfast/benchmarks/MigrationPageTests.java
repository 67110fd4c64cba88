package io.holdfast.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Lock;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.baomidou.lock.annotation.Lock4j;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.api.RLock;
import org.redisson.api.RLockAsync;
import org.redisson.api.RObservable;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;

import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of {@code docs/migration.md}: what they name exists, and they name all there
 * is.
 */
class MigrationPageTests {

	private static final Pattern SPAN = Pattern.compile("`([^`]+)`");

	private static final Pattern PROPERTY = Pattern.compile("[a-z0-9]+(\\.[a-z0-9-]+)+(=\\w+)?");

	private static final Set<String> LITERALS = Set.of("null", "false", "0");

	private static final String page = read(Path.of("../docs/migration.md"));

	private static final String calls = compact(
			read(Path.of("src/test/java/io/holdfast/benchmarks/MigrationCalls.java")));

	private static final String properties = properties();

	/**
	 * The sections, and the types that their left columns name.
	 */
	enum Section {

		REDISSON("Redisson", MigrationCalls.FromRedisson.class, RLock.class, Lock.class, RLockAsync.class,
				RObservable.class, RReadWriteLock.class, RSemaphore.class, RPermitExpirableSemaphore.class),

		SPRING_INTEGRATION("Spring Integration", MigrationCalls.FromSpringIntegration.class, RedisLockRegistry.class,
				LockRegistry.class, DistributedLock.class),

		SHEDLOCK("ShedLock", MigrationCalls.FromShedLock.class, SchedulerLock.class, EnableSchedulerLock.class,
				LockExtender.class, LockingTaskExecutor.class, LockProvider.class, SimpleLock.class),

		LOCK4J("Lock4j", MigrationCalls.FromLock4j.class, Lock4j.class);

		private final String library;

		private final Class<?> calls;

		private final List<Class<?>> types;

		Section(String library, Class<?> calls, Class<?>... types) {
			this.library = library;
			this.calls = calls;
			this.types = List.of(types);
		}

		private List<String[]> rows() {
			String text = page.substring(page.indexOf("\n## From %s\n".formatted(this.library)) + 1);
			int next = text.indexOf("\n## ");
			return ((next < 0) ? text : text.substring(0, next)).lines()
				.filter((line) -> line.startsWith("| "))
				.map((line) -> line.split(" \\|| ?\\| "))
				.toList();
		}

		private List<String> spans(int column) {
			return rows().stream()
				.flatMap((row) -> SPAN.matcher(row[column]).results())
				.map((span) -> span.group(1))
				.toList();
		}

		private String compiled() {
			int begin = MigrationPageTests.calls.indexOf("interface%s{".formatted(this.calls.getSimpleName()));
			return MigrationPageTests.calls.substring(begin, MigrationPageTests.calls.indexOf("/**", begin));
		}

		private Set<String> methods() {
			return this.types.stream()
				.flatMap((type) -> Stream.of(type.getDeclaredMethods()))
				.filter((method) -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
				.map(Method::getName)
				.collect(Collectors.toCollection(TreeSet::new));
		}

	}

	@ParameterizedTest
	@EnumSource
	void callsThereAreCompiled(Section section) {
		assertThat(section.rows()).hasSizeGreaterThan(10);
		assertThat(section.spans(1)).filteredOn((span) -> !isKnown(span, section.compiled())).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void callsHereAreCompiled(Section section) {
		String compiled = calls.substring(calls.indexOf("interfaceToHoldfast{"));
		assertThat(section.spans(2)).filteredOn((span) -> !isKnown(span, compiled)).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void allMethodsThereAreNamed(Section section) {
		String named = String.join("\n", section.spans(1));
		assertThat(section.methods()).isNotEmpty()
			.filteredOn((method) -> !Pattern.compile("\\b%s\\b".formatted(method)).matcher(named).find())
			.isEmpty();
	}

	private static boolean isKnown(String span, String compiled) {
		return LITERALS.contains(span)
				|| PROPERTY.matcher(span).matches()
						&& properties.contains("\"name\":\"%s\"".formatted(span.split("=")[0]))
				|| compiled.contains(compact(span));
	}

	private static String compact(String text) {
		return text.replaceAll("\\s", "");
	}

	private static String properties() {
		try {
			StringBuilder all = new StringBuilder();
			for (URL url : Collections.list(MigrationPageTests.class.getClassLoader()
				.getResources("META-INF/spring-configuration-metadata.json"))) {
				all.append(new String(url.openStream().readAllBytes(), StandardCharsets.UTF_8));
			}
			return compact(all.toString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
