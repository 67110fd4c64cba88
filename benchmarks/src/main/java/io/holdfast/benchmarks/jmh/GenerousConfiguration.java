package io.holdfast.benchmarks.jmh;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A registry of the application's own, which takes the place of Holdfast's.
 */
@Configuration(proxyBeanMethods = false)
class GenerousConfiguration {

	@Bean
	GenerousRegistry lockRegistry() {
		return new GenerousRegistry();
	}

}
