package io.holdfast.autoconfigure;

import io.holdfast.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.when;

/**
 * Annotated beans for which a test has put an object of its own.
 */
@SpringJUnitConfig
@TestPropertySource(properties = "holdfast.store=local")
class ReplacedBeanTests {

	@MockitoBean
	private Mocked mocked;

	@TestBean
	private Replaced replaced;

	@Autowired
	private Caller caller;

	static Replaced replaced() {
		return new Replaced() {

			@Override
			String call() {
				return "replaced";
			}

		};
	}

	@Test
	void needsNoProxy() {
		when(this.mocked.call()).thenReturn("mocked");
		assertThat(this.caller.call()).isEqualTo("mocked, replaced");
	}

	static class Mocked {

		@DistributedLock("'mocked'")
		String call() {
			return "real";
		}

	}

	static class Replaced {

		@DistributedLock("'replaced'")
		String call() {
			return "real";
		}

	}

	record Caller(Mocked mocked, Replaced replaced) {

		String call() {
			return this.mocked.call() + ", " + this.replaced.call();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(HoldfastAutoConfiguration.class)
	static class Beans {

		@Bean
		Mocked mocked() {
			return new Mocked();
		}

		@Bean
		Replaced replaced() {
			return new Replaced();
		}

		@Bean
		Caller caller(Mocked mocked, Replaced replaced) {
			return new Caller(mocked, replaced);
		}

	}

}
