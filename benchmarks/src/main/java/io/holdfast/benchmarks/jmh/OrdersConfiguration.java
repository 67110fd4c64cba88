package io.holdfast.benchmarks.jmh;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The application's own bean.
 */
@Configuration(proxyBeanMethods = false)
class OrdersConfiguration {

	@Bean
	Orders orders() {
		return new Orders();
	}

}
