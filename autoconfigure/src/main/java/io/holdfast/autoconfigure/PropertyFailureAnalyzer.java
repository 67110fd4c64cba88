package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConversionFailedException;

/**
 * Says how to write a property that cannot be bound. Comes before Spring Boot's
 * analyzers: they do not say how to write a duration, and tell the passwords in the URLs
 * of nodes that belong to no list.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class PropertyFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

	private static final ConfigurationPropertyName ALL = ConfigurationPropertyName.of("holdfast");

	private static final ConfigurationPropertyName NODES = ALL.append("redis.nodes");

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		if (cause.getCause() instanceof UnboundConfigurationPropertiesException unbound) {
			return notAList(unbound);
		}
		ConversionFailedException failed = findCause(cause, ConversionFailedException.class);
		ConfigurationProperty property = cause.getProperty();
		return (failed != null && failed.getTargetType().getType() == Duration.class && property != null
				&& ALL.isAncestorOf(property.getName())) ? notADuration(property, cause) : null;
	}

	private static @Nullable FailureAnalysis notAList(UnboundConfigurationPropertiesException cause) {
		List<ConfigurationPropertyName> names = cause.getUnboundProperties()
			.stream()
			.map(ConfigurationProperty::getName)
			.filter(NODES::isAncestorOf)
			.sorted()
			.toList();
		return names.isEmpty() ? null
				: new FailureAnalysis(
						"Configuration property '%s' is not a list: the index is not consecutive in %s."
							.formatted(NODES, names),
						"Write '%s' as a list, or number its entries 0, 1, 2 and so on.".formatted(NODES), cause);
	}

	private static FailureAnalysis notADuration(ConfigurationProperty property, BindException cause) {
		return new FailureAnalysis(
				"Configuration property '%s' is \"%s\", which is not a duration (%s)".formatted(property.getName(),
						property.getValue(), property.getOrigin()),
				"Write '%s' as a number and its unit without a space: 500ms, 30s, 5m, 24h or 7d, or as PT30S."
					.formatted(property.getName()),
				cause);
	}

}
