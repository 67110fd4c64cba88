package io.holdfast.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The regions of source files that the documentation shows. Each begins after a line
 * {@code // snippet: <name>} and ends before a line {@code // end}.
 */
final class Snippets {

	private static final String BEGIN = "// snippet: ";

	private static final String END = "// end";

	private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?[\\w.]+\\.(\\w+);?$");

	private static final Pattern COMMENT_OR_TEXT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*|\"[^\"\n]*\"");

	private final Map<String, String> texts = new LinkedHashMap<>();

	private final Map<String, Set<String>> imports = new LinkedHashMap<>();

	static Snippets in(Path... directories) {
		Snippets snippets = new Snippets();
		for (Path directory : directories) {
			try (Stream<Path> files = Files.walk(directory)) {
				files.filter((file) -> file.toString().matches(".*\\.(java|kt)")).sorted().forEach(snippets::read);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		return snippets;
	}

	private void read(Path file) {
		String name = null;
		List<String> region = new ArrayList<>();
		for (String line : CodeBlock.read(file).lines().toList()) {
			String text = line.strip();
			if (text.startsWith(BEGIN)) {
				require(name == null, file, "a snippet begins in another one: " + text);
				name = text.substring(BEGIN.length());
			}
			else if (text.equals(END)) {
				add(file, name, region);
				name = null;
				region.clear();
			}
			else if (name != null) {
				region.add(line);
			}
		}
		require(name == null, file, "a snippet does not end: " + name);
	}

	private void add(Path file, @Nullable String name, List<String> region) {
		require(name != null, file, "a snippet ends that has not begun");
		String text = String.join("\n", region).stripIndent().strip();
		this.imports.put(String.valueOf(name), imports(file, text));
		require(this.texts.put(String.valueOf(name), text) == null, file, "a second snippet has the name " + name);
	}

	/**
	 * Return the imports of a file that a text needs.
	 */
	private static Set<String> imports(Path file, String text) {
		String code = COMMENT_OR_TEXT.matcher(text).replaceAll("");
		return IMPORT.matcher(CodeBlock.read(file))
			.results()
			.filter((line) -> Pattern.compile("(?<![.\\w])" + line.group(1) + "\\b").matcher(code).find())
			.map(MatchResult::group)
			.collect(Collectors.toSet());
	}

	private static void require(boolean condition, Path file, String problem) {
		if (!condition) {
			throw new IllegalStateException(file + ": " + problem);
		}
	}

	/**
	 * Return what a snippet needs to be imported.
	 */
	Set<String> imports(String name) {
		return this.imports.getOrDefault(name, Set.of());
	}

	Map<String, String> texts() {
		return this.texts;
	}

}
