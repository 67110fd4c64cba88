package io.holdfast.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Says which of the nodes that are configured belong to no list. Comes before Spring
 * Boot's analyzer, which would tell the passwords in their URLs.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class UnboundRedisNodesFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

	private static final ConfigurationPropertyName NODES = ConfigurationPropertyName.of("holdfast.redis.nodes");

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
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

}
