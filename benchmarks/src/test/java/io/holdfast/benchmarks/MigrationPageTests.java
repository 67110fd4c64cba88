package io.holdfast.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.annotation.Lock4j;
import io.holdfast.DistributedLock;
import io.holdfast.LockAssert;
import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockView;
import io.holdfast.ReactiveLockTemplate;
import io.holdfast.RunOnce;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.LockProviderToUse;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.api.RExpirable;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RLockAsync;
import org.redisson.api.RObservable;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.integration.redis.util.RedisLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of {@code docs/migration.md}: what they name exists, and they name all there
 * is.
 */
class MigrationPageTests {

	private static final Pattern SPAN = Pattern.compile("`([^`]+)`");

	private static final Pattern PROPERTY = Pattern.compile("(holdfast|lock4j)(\\.[a-z0-9-]+)+");

	/**
	 * A method, a constructor or an annotation, or the attribute of an annotation.
	 */
	private static final Pattern NAME = Pattern.compile("\\b(\\w+)\\(|(?:^|[(,] ?)(\\w+) = ");

	private static final String page = read(Path.of("../docs/migration.md"));

	private static final String properties = properties();

	private static final Set<String> ofHoldfast = names(LockRegistry.class, LockView.class, LockTemplate.class,
			LockRequest.class, LockHandle.class, ReactiveLockTemplate.class, LockAssert.class, DistributedLock.class,
			RunOnce.class);

	/**
	 * The sections, and the types that their left columns name.
	 */
	enum Section {

		REDISSON("Redisson", RLock.class, Lock.class, RLockAsync.class, RObservable.class, RReadWriteLock.class,
				RSemaphore.class, RPermitExpirableSemaphore.class, RedissonClient.class, Config.class,
				RFencedLock.class, RExpirable.class),

		SPRING_INTEGRATION("Spring Integration", RedisLockRegistry.class,
				org.springframework.integration.support.locks.LockRegistry.class,
				org.springframework.integration.support.locks.DistributedLock.class),

		SHEDLOCK("ShedLock", SchedulerLock.class, EnableSchedulerLock.class, LockExtender.class,
				LockingTaskExecutor.class, LockProvider.class, SimpleLock.class, LockProviderToUse.class,
				RedisLockProvider.class, KeepAliveLockProvider.class, net.javacrumbs.shedlock.core.LockAssert.class),

		LOCK4J("Lock4j", Lock4j.class, com.baomidou.lock.LockTemplate.class, LockInfo.class);

		private final String library;

		private final Set<String> names;

		Section(String library, Class<?>... types) {
			this.library = library;
			this.names = MigrationPageTests.names(types);
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

	}

	@ParameterizedTest
	@EnumSource
	void whatIsNamedExists(Section section) {
		assertThat(section.rows()).hasSizeGreaterThan(10);
		assertThat(unknown(section.spans(1), section.names)).isEmpty();
		assertThat(unknown(section.spans(2), ofHoldfast)).isEmpty();
	}

	private static Set<String> names(Class<?>... types) {
		return Stream.of(types)
			.flatMap((type) -> Stream.concat(Stream.of(type.getSimpleName()),
					Stream.of(type.getMethods()).map(Method::getName)))
			.collect(Collectors.toSet());
	}

	private static List<String> unknown(List<String> spans, Set<String> known) {
		return spans.stream()
			.flatMap((span) -> PROPERTY.matcher(span.split("=")[0]).matches()
					? Stream.of(span.split("=")[0])
						.filter((property) -> !properties.contains("\"name\":\"%s\"".formatted(property)))
					: NAME.matcher(span.replaceAll("\"[^\"]*\"", "\"\""))
						.results()
						.map((name) -> (name.group(1) != null) ? name.group(1) : name.group(2))
						.filter((name) -> !known.contains(name)))
			.toList();
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
