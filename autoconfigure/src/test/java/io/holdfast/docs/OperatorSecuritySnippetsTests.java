package io.holdfast.docs;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How only operators reach the endpoint.
 */
@Tag("any-jdk")
@Tag("slow")
class OperatorSecuritySnippetsTests {

	private static final String OPERATOR = "operator:secret";

	private final HttpClient client = HttpClient.newHttpClient();

	@Test
	void onlyOperatorsSeeAndReleaseLocks() throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class).run(
				"--server.port=0", "--server.address=127.0.0.1", "--spring.main.banner-mode=off",
				"--holdfast.store=local", "--spring.datasource.generate-unique-name=true",
				"--management.health.redis.enabled=false", "--management.endpoints.web.exposure.include=health,locks",
				"--management.endpoint.locks.access=unrestricted")) {
			LockHandle lock = context.getBean(LockTemplate.class).acquire(LockRequest.of("order:42").ownedByHandle());
			for (String request : new String[] { "GET locks", "GET locks?scope=cluster", "DELETE locks/order:42",
					"DELETE locks?key=order:42" }) {
				assertThat(status(context, request, null)).isEqualTo(401);
				assertThat(status(context, request, "customer:secret")).isEqualTo(403);
			}
			assertThat(status(context, "GET health", null)).as("probes").isEqualTo(200);
			assertThat(status(context, "GET locks/order:42", OPERATOR)).isEqualTo(200);
			assertThat(lock.isHeld()).isTrue();
			assertThat(status(context, "DELETE locks/order:42?token=" + lock.fencingToken(), OPERATOR)).isEqualTo(204);
		}
	}

	private int status(ConfigurableApplicationContext context, String methodAndPath, @Nullable String login)
			throws Exception {
		String port = context.getEnvironment().getRequiredProperty("local.server.port");
		String[] parts = methodAndPath.split(" ");
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator/" + parts[1]))
			.method(parts[0], HttpRequest.BodyPublishers.noBody());
		if (login != null) {
			request.header("Authorization",
					"Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
		}
		return this.client.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableWebSecurity
	static class Application {

		@Bean
		InMemoryUserDetailsManager users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("operator").password("{noop}secret").roles("OPERATOR").build(),
					User.withUsername("customer").password("{noop}secret").roles("CUSTOMER").build());
		}

		// snippet: operator-security
		@Bean
		@Order(1)
		SecurityFilterChain operatorSecurity(HttpSecurity http) {
			return http.securityMatcher("/actuator/**")
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/actuator/health/**")
					.permitAll()
					.anyRequest()
					.hasRole("OPERATOR"))
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.ignoringRequestMatchers("/actuator/locks/**"))
				.build();
		}
		// end

	}

}
