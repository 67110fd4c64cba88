package io.holdfast.faults.shutdown;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * An application that holds locks and waits for some while it answers requests.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ Pages.class, Witnesses.class, Work.class })
class WebApplication {

	@Bean
	Answers answers() {
		return new Answers(0);
	}

	/**
	 * Run the application.
	 */
	static class Main {

		public static void main(String[] args) {
			ConfigurableApplicationContext context = SpringApplication.run(WebApplication.class, args);
			context.getBean(Answers.class).give("%s", context.getEnvironment().getProperty("local.server.port"));
		}

	}

}
