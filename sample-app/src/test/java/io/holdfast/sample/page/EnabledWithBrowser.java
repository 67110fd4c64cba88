package io.holdfast.sample.page;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Files;
import java.util.List;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tests only where there is a browser for them. Where one is required
 * ({@code HOLDFAST_BROWSER=required} in the environment), it fails instead.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(EnabledWithBrowser.Condition.class)
@interface EnabledWithBrowser {

	/**
	 * Looks for the browser and its driver.
	 */
	class Condition implements ExecutionCondition {

		private static final Logger logger = LoggerFactory.getLogger(EnabledWithBrowser.class);

		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			List<String> missing = Browser.FILES.stream()
				.filter((file) -> !Files.isExecutable(file))
				.map(Object::toString)
				.toList();
			if (missing.isEmpty()) {
				return ConditionEvaluationResult.enabled("There is a browser");
			}
			String reason = "There is no %s: install the packages chromium and chromium-driver to test the page"
				.formatted(String.join(" and no ", missing));
			if ("required".equals(System.getenv("HOLDFAST_BROWSER"))) {
				throw new IllegalStateException(reason);
			}
			logger.warn("The tests of the sample's page are skipped. {}", reason);
			return ConditionEvaluationResult.disabled(reason);
		}

	}

}
