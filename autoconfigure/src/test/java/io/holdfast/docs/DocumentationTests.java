package io.holdfast.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.actuate.LockMeters;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the documentation with what it is about: code with what is compiled, and names
 * of properties, meters and headings with those there are.
 */
@Tag("any-jdk")
class DocumentationTests {

	private static final Path ROOT = Path.of("..");

	private static final Snippets compiled = Snippets.in(Path.of("src/test"), ROOT.resolve("sample-app/src/main"),
			ROOT.resolve("compatibility-tests/src/test"), ROOT.resolve("benchmarks/src/test"),
			ROOT.resolve("test/src/test"));

	private static final Map<String, String> snippets = compiled.texts();

	private static final String metadata = CodeBlock
		.read(Path.of("target/classes/META-INF/spring-configuration-metadata.json"));

	private static final Set<String> meters = LockMeters.tagsByName().keySet();

	private static final Pattern PROPERTY = Pattern
		.compile("(?<![\\w./-])holdfast\\.[a-z]+(-[a-z]+)*(\\.[a-z]+(-[a-z]+)*)*");

	private static final Pattern METER = Pattern
		.compile("(?m)^\\| `(holdfast\\.[a-z.]+)` \\| (?:timer|gauge|counter) \\| ([^|]*) \\|");

	private static final Pattern TEST = Pattern.compile("(?<=[`, ])[A-Z]\\w*Tests(?=[`,#])");

	private static final Pattern EVIDENT = Pattern
		.compile("^import (java\\.|io\\.holdfast\\.[A-Z]|static org\\.assertj\\.)");

	/**
	 * Words of prose that is hard to read. There are terms for what they stand for:
	 * caller, holder, waiter, operator; a holder is notified of a loss and releases a
	 * lock, a rule applies to a lock.
	 */
	private static final Pattern VAGUE = Pattern
		.compile("(?i)\\b(whoever|nobody|somebody|everybody|anybody|(is|are|be|was|were) told|to be had"
				+ "|g[ai]ven? (it |them )?back|as it stands|at the least|goes for)\\b");

	static Stream<Path> documents() throws IOException {
		try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
			return Stream
				.concat(Stream.of(ROOT.resolve("README.md")), docs.filter((file) -> file.toString().endsWith(".md")))
				.sorted()
				.toList()
				.stream();
		}
	}

	static Stream<CodeBlock> sources() throws IOException {
		return documents().flatMap((document) -> CodeBlock.in(document).stream()).filter(CodeBlock::isSource);
	}

	@ParameterizedTest
	@MethodSource("sources")
	void codeIsWhatIsCompiled(CodeBlock block) {
		assertThat(block.name()).as("Name in a line <!-- snippet: name --> before %s", block.place()).isNotNull();
		assertThat(snippets.keySet()).as("Names of snippets, for %s", block.place()).contains(block.name());
		assertThat(block.textWithoutImports()).as("Snippet %s, %s", block.name(), block.place())
			.isEqualTo(snippets.get(block.name()));
	}

	/**
	 * Types of the same package are those of the reader; where those of the JDK and of
	 * {@code io.holdfast} are is said once in a page.
	 */
	@ParameterizedTest
	@MethodSource("sources")
	void codeHasItsImports(CodeBlock block) {
		Set<String> needed = compiled.imports(Objects.requireNonNull(block.name()));
		assertThat(needed).as("Imports of %s", block.place()).containsAll(block.imports());
		assertThat(block.imports()).as("Imports of %s", block.place())
			.containsAll(needed.stream().filter((line) -> !EVIDENT.matcher(line).find()).toList());
	}

	@Test
	void everySnippetIsShown() throws IOException {
		assertThat(sources().map(CodeBlock::name)).containsAll(snippets.keySet());
	}

	@ParameterizedTest
	@MethodSource("documents")
	void linksLeadSomewhere(Path document) {
		assertThat(new DocumentLinks(document).broken()).as("Broken links in %s", document).isEmpty();
	}

	/**
	 * All documents, and the Javadoc that an IDE shows to users.
	 */
	static Stream<Path> prose() throws IOException {
		try (Stream<Path> api = Files.list(Path.of("src/main/java/io/holdfast"))) {
			Stream<Path> project = Stream.of("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md").map(ROOT::resolve);
			Stream<Path> sources = Stream.concat(
					api.filter((file) -> file.toString().endsWith(".java")).toList().stream(),
					Stream.of(Path.of("src/main/java/io/holdfast/autoconfigure/HoldfastProperties.java")));
			return Stream.of(documents(), project, sources).flatMap((files) -> files);
		}
	}

	@ParameterizedTest
	@MethodSource("prose")
	void wordsArePrecise(Path file) {
		assertThat(VAGUE.matcher(CodeBlock.read(file)).results().map(MatchResult::group)).as("Words in %s", file)
			.isEmpty();
	}

	@ParameterizedTest
	@MethodSource("documents")
	void propertiesExist(Path document) {
		Set<String> named = PROPERTY.matcher(CodeBlock.read(document))
			.results()
			.map(MatchResult::group)
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(named).as("Properties in %s", document)
			.allMatch(DocumentationTests::isKnown, "is a known property or meter");
	}

	@ParameterizedTest
	@MethodSource("documents")
	void propertiesInYamlExist(Path document) {
		CodeBlock.in(document)
			.stream()
			.filter((block) -> block.language().equals("yaml"))
			.forEach(
					(block) -> assertThat(properties(block).stringPropertyNames()).as("Properties in %s", block.place())
						.filteredOn((name) -> name.startsWith("holdfast."))
						.allMatch(DocumentationTests::isKnown, "is a known property"));
	}

	@Test
	void testsThatAreNamedExist() throws IOException {
		Set<String> tests = new TreeSet<>();
		for (String module : List.of("autoconfigure", "quorum", "jdbc", "aspectj", "fault-tests", "sample-app")) {
			try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test"))) {
				files.forEach((file) -> tests.add(file.getFileName().toString().replaceAll("\\..*", "")));
			}
		}
		for (Path document : Stream.concat(documents(), Stream.of(ROOT.resolve("CONTRIBUTING.md"))).toList()) {
			assertThat(TEST.matcher(CodeBlock.read(document)).results().map(MatchResult::group))
				.as("Tests in %s", document)
				.isSubsetOf(tests);
		}
	}

	/**
	 * With {@code -Dholdfast.docs.write=true}, the table is written and not compared.
	 */
	@Test
	void tableOfPropertiesIsComplete() throws IOException {
		Path document = ROOT.resolve("docs/configuration.md");
		String present = Files.readString(document);
		String renewed = ConfigurationReference.renewed(present);
		if (Boolean.getBoolean("holdfast.docs.write")) {
			Files.writeString(document, renewed);
		}
		else {
			assertThat(present).as("docs/configuration.md, which this test writes anew with -Dholdfast.docs.write=true")
				.isEqualTo(renewed);
		}
	}

	@Test
	void eachValueOfAPropertyIsExplainedInIdes() throws IOException {
		Map<String, Map<Object, Object>> hints = ConfigurationReference.hints();
		assertThat(hints.values()).flatMap(Map::values)
			.isNotEmpty()
			.allSatisfy((text) -> assertThat(text).asString().endsWith("."));
		assertThat(hints.keySet()).isEqualTo(ConfigurationReference.choices().keySet());
		ConfigurationReference.choices()
			.forEach((name, values) -> assertThat(hints.get(name)).as(name).containsOnlyKeys(values.toArray()));
	}

	@Test
	void metersAreThoseThatThereAre() {
		Map<String, String> documented = METER.matcher(CodeBlock.read(ROOT.resolve("docs/operations.md")))
			.results()
			.collect(Collectors.toMap((row) -> row.group(1), (row) -> row.group(2).replaceAll("[`–]", "")));
		Map<String, String> known = LockMeters.tagsByName();
		known.keySet().removeIf((name) -> name.startsWith("holdfast.lock"));
		assertThat(documented).containsExactlyInAnyOrderEntriesOf(known);
	}

	private static Properties properties(CodeBlock block) {
		YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
		yaml.setResources(new ByteArrayResource(block.text().getBytes(StandardCharsets.UTF_8)));
		return Objects.requireNonNull(yaml.getObject());
	}

	private static boolean isKnown(String name) {
		// Those of the module are looked at by its own tests
		return name.startsWith("holdfast.jdbc.") || meters.contains(name)
				|| metadata.contains("\"name\": \"" + name.replaceAll("\\[\\d+]$", "") + "\"");
	}

}
