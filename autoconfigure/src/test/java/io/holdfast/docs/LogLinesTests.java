package io.holdfast.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the documented lines of the log with those in the sources.
 */
@Tag("any-jdk")
class LogLinesTests {

	private static final Pattern STATEMENT = Pattern.compile("logger\\.(?:at)?(info|warn|error)\\((.*?)\\);\\R",
			Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

	/**
	 * A digest of failures says one of them, and how many more.
	 */
	private static final Pattern DIGEST = Pattern
		.compile("new FailureDigest\\(logger, Level\\.(\\w+),\\s*(\".*?\"),\\s*(\".*?\")[,)]");

	private static final Pattern VALUE = Pattern.compile("\\.addKeyValue\\(\"(\\w+)\"");

	private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

	private static final Pattern ROW = Pattern.compile("(?m)^\\| (INFO|WARN|ERROR) \\| `(.+?)` \\| (.+?) \\|");

	/**
	 * What code of users has thrown is explained by its stack trace.
	 */
	private static final Pattern OF_USERS = Pattern.compile("^(A lock listener|A listener|Listeners|An observation) ");

	private static final Pattern CODE = Pattern.compile("`(\\w+)`");

	@Test
	void documentHasTheLinesThatAreLogged() {
		Set<Line> logged = logged();
		assertThat(logged).hasSizeGreaterThan(10);
		assertThat(logged.removeIf((line) -> OF_USERS.matcher(line.text()).find())).isTrue();
		assertThat(documented()).containsExactlyInAnyOrderElementsOf(logged);
	}

	private static Set<Line> documented() {
		return ROW.matcher(CodeBlock.read(Path.of("../docs/operations.md")))
			.results()
			.map((row) -> new Line(row.group(1), row.group(2), names(CODE, row.group(3))))
			.collect(Collectors.toSet());
	}

	private static Set<Line> logged() {
		return Stream.of("src/main/java", "../quorum/src/main/java", "../jdbc/src/main/java")
			.flatMap(LogLinesTests::sources)
			.flatMap((source) -> Stream.concat(STATEMENT.matcher(source).results().map(LogLinesTests::line),
					DIGEST.matcher(source).results().flatMap(LogLinesTests::lines)))
			.collect(Collectors.toSet());
	}

	private static Stream<String> sources(String folder) {
		try (Stream<Path> files = Files.walk(Path.of(folder))) {
			return files.filter((file) -> file.toString().endsWith(".java")).map(CodeBlock::read).toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Line line(MatchResult statement) {
		String call = statement.group(2);
		String log = call.substring(Math.max(0, call.indexOf(".log(")));
		return new Line(statement.group(1).toUpperCase(Locale.ROOT), text(log).replace("{}", "…"), names(VALUE, call));
	}

	private static Stream<Line> lines(MatchResult digest) {
		return Stream.of(digest.group(2), digest.group(3))
			.map((text) -> new Line(digest.group(1), text(text).replace("{}", "…"), Set.of()));
	}

	/**
	 * Return the first string, put together from its parts.
	 */
	private static String text(String call) {
		StringBuilder text = new StringBuilder();
		Matcher parts = TEXT.matcher(call);
		int end = -1;
		while (parts.find() && (end < 0 || call.substring(end, parts.start()).isBlank()
				|| call.substring(end, parts.start()).strip().equals("+"))) {
			text.append(parts.group(1));
			end = parts.end();
		}
		return text.toString();
	}

	private static Set<String> names(Pattern pattern, String text) {
		return pattern.matcher(text)
			.results()
			.map((result) -> result.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/**
	 * A line of the log, and the names of its key/values.
	 */
	private record Line(String level, String text, Set<String> values) {
	}

}
