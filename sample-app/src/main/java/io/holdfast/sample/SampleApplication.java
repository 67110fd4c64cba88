package io.holdfast.sample;

import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts the sample: as a web application, or with {@code --demo} for one rush without
 * and one with the lock.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties(SampleProperties.class)
public class SampleApplication {

	public static void main(String[] args) {
		// The database is shared with other instances on this machine, not with the
		// network
		System.setProperty("h2.bindAddress", "127.0.0.1");
		SpringApplication application = new SpringApplication(SampleApplication.class);
		if (new DefaultApplicationArguments(args).containsOption(Demo.PROFILE)) {
			application.setAdditionalProfiles(Demo.PROFILE);
		}
		ConfigurableApplicationContext context = application.run(args);
		if (context.getEnvironment().matchesProfiles(Demo.PROFILE)) {
			System.exit(SpringApplication.exit(context));
		}
	}

}
