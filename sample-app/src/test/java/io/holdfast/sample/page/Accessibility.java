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

}
