package io.holdfast.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The demo's two results side by side.
 *
 * @param without the rush without the lock
 * @param with the rush with the lock
 */
record DemoReport(RushResult without, RushResult with) {

	private static final String ROW = "%-6s%-6s%-10s%-12s%s";

	String table() {
		return String.join(System.lineSeparator(),
				"Flash sale: %d buyers, %d in stock".formatted(this.with.buyers(), this.with.stock()),
				ROW.formatted("lock", "sold", "oversold", "waited p50", "waited p99"),
				ROW.formatted("no", this.without.sold(), this.without.oversold(), "-", "-"),
				ROW.formatted("yes", this.with.sold(), this.with.oversold(), millis(this.with.waitedMs().p50()),
						millis(this.with.waitedMs().p99())));
	}

	private static String millis(double value) {
		return String.format(Locale.ROOT, "%.1f ms", value);
	}

	/**
	 * Tell what is not as a lock should make it.
	 */
	List<String> surprises() {
		List<String> surprises = new ArrayList<>();
		if (this.without.oversold() == 0) {
			surprises.add("Without the lock nothing was oversold: the buyers did not get in each other's way");
		}
		if (this.with.oversold() > 0) {
			surprises.add("With the lock %d pieces were oversold".formatted(this.with.oversold()));
		}
		int failed = this.without.failed() + this.with.failed();
		if (failed > 0) {
			surprises.add("%d buyers failed, see the log".formatted(failed));
		}
		return surprises;
	}

}
