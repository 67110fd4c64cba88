package io.holdfast.sample;

import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts the sample: as a web application, or with {@code --demo} for one rush without
 * and one with the lock. With {@code --store=jdbc}, locks are in its database, and there
 * is no Redis.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties(SampleProperties.class)
public class SampleApplication {

	private static final String DATABASE = "jdbc";

	public static void main(String[] args) {
		// The database is shared with other instances on this machine, not with the
		// network
		System.setProperty("h2.bindAddress", "127.0.0.1");
		SpringApplication application = new SpringApplication(SampleApplication.class);
		DefaultApplicationArguments options = new DefaultApplicationArguments(args);
		List<String> profiles = new ArrayList<>();
		if (options.containsOption(Demo.PROFILE)) {
			profiles.add(Demo.PROFILE);
		}
		if (List.of(DATABASE).equals(options.getOptionValues("store"))) {
			profiles.add(DATABASE);
		}
		application.setAdditionalProfiles(profiles.toArray(String[]::new));
		ConfigurableApplicationContext context = application.run(args);
		if (context.getEnvironment().matchesProfiles(Demo.PROFILE)) {
			System.exit(SpringApplication.exit(context));
		}
	}

}
