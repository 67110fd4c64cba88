package io.holdfast.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/**
 * A chart of horizontal bars, as SVG. A row has a bar for each series, with its value
 * beside it.
 *
 * @param title what it shows
 * @param series what the bars of a row are
 * @param rows the rows, from the top
 * @param logarithmic whether bars ten times as large are merely longer by a fixed length
 */
record BarChart(String title, List<String> series, List<Row> rows, boolean logarithmic) {

	private static final int WIDTH = 780;

	private static final int LABELS = 210;

	private static final int VALUES = 90;

	private static final int TOP = 56;

	private static final int BAR = 14;

	private static final int GAP = 10;

	private static final List<String> COLORS = List.of("#2f6db5", "#e08a2e");

	/**
	 * What is not of interest in a logarithmic chart: the bar of this value has no
	 * length.
	 */
	private static final double LEAST = 1;

	String toSvg() {
		int height = TOP + this.rows.size() * rowHeight() + GAP;
		StringBuilder svg = new StringBuilder("""
				<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">
				<rect width="100%%" height="100%%" fill="#ffffff"/>
				<text x="%d" y="22" font-size="15" font-weight="bold">%s</text>
				""".formatted(WIDTH, height, GAP, escape(this.title)));
		appendLegend(svg);
		for (int i = 0; i < this.rows.size(); i++) {
			appendRow(svg, this.rows.get(i), TOP + i * rowHeight());
		}
		return svg.append("</svg>\n").toString();
	}

	private int rowHeight() {
		return this.series.size() * BAR + GAP;
	}

	private void appendLegend(StringBuilder svg) {
		for (int i = 0; i < this.series.size(); i++) {
			int x = LABELS + i * 140;
			svg.append(rectangle(x, TOP - 22, BAR - 2, i));
			svg.append(text(x + BAR + 4, TOP - 12, "start", this.series.get(i)));
		}
	}

	private void appendRow(StringBuilder svg, Row row, int y) {
		svg.append(text(LABELS - GAP, y + this.series.size() * BAR / 2 + 4, "end", row.label()));
		for (int i = 0; i < row.values().size(); i++) {
			double value = row.values().get(i);
			int length = length(value);
			svg.append(rectangle(LABELS, y + i * BAR, length, i));
			svg.append(text(LABELS + length + 6, y + i * BAR + BAR - 3, "start",
					Numbers.format(value, (value < 100) ? 1 : 0)));
		}
	}

	private int length(double value) {
		DoubleUnaryOperator scale = this.logarithmic ? (number) -> Math.log10(Math.max(LEAST, number))
				: (number) -> number;
		double greatest = this.rows.stream()
			.flatMap((row) -> row.values().stream())
			.mapToDouble((number) -> scale.applyAsDouble(number))
			.max()
			.orElse(0);
		return (greatest > 0) ? (int) Math.round(scale.applyAsDouble(value) / greatest * (WIDTH - LABELS - VALUES)) : 0;
	}

	private static String rectangle(int x, int y, int width, int series) {
		return String.format(Locale.ROOT, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", x, y,
				width, BAR - 2, COLORS.get(series % COLORS.size()));
	}

	private static String text(int x, int y, String anchor, String text) {
		return "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n".formatted(x, y, anchor, escape(text));
	}

	private static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;");
	}

	/**
	 * A row of the chart.
	 *
	 * @param label what the values belong to
	 * @param values the value of each series
	 */
	record Row(String label, List<Double> values) {

	}

}
