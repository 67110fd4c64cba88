package io.holdfast.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A block of code in a document. The line before it may name it:
 * {@code <!-- snippet: <name> -->}.
 *
 * @param place the document, and the line with which the block begins
 * @param language the language it is marked as, or an empty string
 * @param name its name, or {@code null}
 * @param text the lines of code
 */
record CodeBlock(String place, String language, @Nullable String name, String text) {

	private static final String FENCE = "```";

	private static final String IMPORT = "import ";

	private static final String NAME = "<!-- snippet: ";

	/**
	 * Return all blocks of a document.
	 */
	static List<CodeBlock> in(Path document) {
		List<CodeBlock> blocks = new ArrayList<>();
		List<String> lines = read(document).lines().toList();
		for (int begin = 0; begin < lines.size(); begin++) {
			if (lines.get(begin).startsWith(FENCE)) {
				int end = begin + 1 + lines.subList(begin + 1, lines.size()).indexOf(FENCE);
				blocks.add(new CodeBlock(document.getFileName() + ":" + (begin + 1),
						lines.get(begin).substring(FENCE.length()), name(lines.get(Math.max(0, begin - 1))),
						String.join("\n", lines.subList(begin + 1, end))));
				begin = end;
			}
		}
		return blocks;
	}

	static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static @Nullable String name(String line) {
		return line.startsWith(NAME) ? line.substring(NAME.length(), line.indexOf(" -->")) : null;
	}

	boolean isSource() {
		return this.language.equals("java") || this.language.equals("kotlin");
	}

	/**
	 * Return the imports that it begins with.
	 */
	Set<String> imports() {
		return this.text.lines().filter((line) -> line.startsWith(IMPORT)).collect(Collectors.toSet());
	}

	String textWithoutImports() {
		return this.text.lines().filter((line) -> !line.startsWith(IMPORT)).collect(Collectors.joining("\n")).strip();
	}

}
