package io.holdfast.benchmarks.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A table whose first column is text and all others are numbers.
 */
final class MarkdownTable {

	private final List<String> lines = new ArrayList<>();

	MarkdownTable(List<String> headers) {
		add(headers);
		List<String> alignments = new ArrayList<>(Collections.nCopies(headers.size(), "---:"));
		alignments.set(0, "---");
		add(alignments);
	}

	void add(List<String> cells) {
		this.lines.add("| " + String.join(" | ", cells) + " |");
	}

	@Override
	public String toString() {
		return String.join("\n", this.lines) + "\n";
	}

}
