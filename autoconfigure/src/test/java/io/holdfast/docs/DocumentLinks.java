package io.holdfast.docs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The links of a document to others of this project, and to their headings.
 *
 * @param document the document
 */
record DocumentLinks(Path document) {

	private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)]+)\\)");

	private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

	/**
	 * Return those that lead nowhere.
	 */
	List<String> broken() {
		return LINK.matcher(CodeBlock.read(this.document))
			.results()
			.map((link) -> link.group(1))
			.filter((link) -> !leadsSomewhere(link))
			.toList();
	}

	private boolean leadsSomewhere(String link) {
		int hash = link.indexOf('#');
		String file = (hash < 0) ? link : link.substring(0, hash);
		Path target = file.isEmpty() ? this.document : this.document.resolveSibling(file);
		return Files.exists(target) && (hash < 0 || anchors(target).contains(link.substring(hash + 1)));
	}

	private static List<String> anchors(Path document) {
		return HEADING.matcher(CodeBlock.read(document)).results().map(DocumentLinks::anchor).toList();
	}

	private static String anchor(MatchResult heading) {
		return heading.group(1).toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-');
	}

}
