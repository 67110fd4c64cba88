package io.holdfast.sample.page;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.assertj.core.api.InstanceOfAssertFactories;

import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks a page by the rules of axe.
 */
final class Accessibility {

	private static final String CHECK = """
			axe.run({
				runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
				rules: { 'color-contrast-enhanced': { enabled: true } },
			})
				.then(({ passes, violations }) => ({
					passes: passes.map((rule) => rule.id),
					violations: violations.flatMap((rule) => rule.nodes.map((node) => rule.id + ': ' + node.html)),
				}))""";

	private Accessibility() {
	}

	static void check(Browser browser, String situation) throws IOException {
		browser.run(new ClassPathResource("axe.min.js").getContentAsString(StandardCharsets.UTF_8));
		assertThat(browser.promised(CHECK)).as(situation)
			.asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
			.satisfies((report) -> {
				assertThat(report.get("violations")).asInstanceOf(InstanceOfAssertFactories.LIST).isEmpty();
				assertThat(report.get("passes")).asInstanceOf(InstanceOfAssertFactories.LIST)
					.contains("color-contrast", "color-contrast-enhanced", "button-name", "region");
			});
	}

	/**
	 * Return the contrast of two colours, as the WCAG defines it.
	 */
	static double contrast(double one, double other) {
		return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
	}

	/**
	 * Return how light a colour is, as the WCAG defines it.
	 */
	static double luminance(Browser browser, String element, String pseudo, String property) {
		return ((Number) browser.evaluate("""
				getComputedStyle(%s, '%s').%s.match(/\\d+/g).slice(0, 3).map((part) => part / 255)
					.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
					.reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0.0)"""
			.formatted(element, pseudo, property))).doubleValue();
	}

}
