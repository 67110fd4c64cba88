package io.holdfast.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConversionFailedException;

/**
 * Says how to write a duration that cannot be read. Comes before Spring Boot's analyzer,
 * which does not say it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class InvalidDurationFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("holdfast");

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		ConversionFailedException failed = findCause(cause, ConversionFailedException.class);
		ConfigurationProperty property = cause.getProperty();
		if (failed == null || failed.getTargetType().getType() != Duration.class || property == null
				|| !PREFIX.isAncestorOf(property.getName())) {
			return null;
		}
		return new FailureAnalysis(
				"Configuration property '%s' is \"%s\", which is not a duration (%s)".formatted(property.getName(),
						property.getValue(), property.getOrigin()),
				"Write '%s' as a number and its unit without a space: 500ms, 30s, 5m, 24h or 7d, or as PT30S."
					.formatted(property.getName()),
				cause);
	}

}
