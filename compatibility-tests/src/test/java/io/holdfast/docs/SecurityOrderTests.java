package io.holdfast.docs;

import java.util.concurrent.CompletableFuture;

import io.holdfast.DistributedLock;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks and Spring Security.
 */
@Tag("any-jdk")
class SecurityOrderTests {

	private final ApplicationContextRunner contextRunner = OneApplication.with(Vault.class, MethodSecurity.class);

	@AfterEach
	void logOut() {
		SecurityContextHolder.clearContext();
	}

	private static void logIn(String role) {
		SecurityContextHolder.getContext()
			.setAuthentication(new TestingAuthenticationToken("jane", "secret", "ROLE_" + role));
	}

	@Test
	void callThatIsDeniedTakesNoLock() {
		logIn("GUEST");
		this.contextRunner.run((context) -> {
			assertThatExceptionOfType(AccessDeniedException.class)
				.isThrownBy(() -> context.getBean(Vault.class).open("a"));
			assertThat(context.getBean(Locking.class).seen()).isEmpty();
		});
	}

	@Test
	void callThatIsAllowedTakesTheLock() {
		logIn("KEEPER");
		this.contextRunner.run((context) -> {
			context.getBean(Vault.class).open("a");
			assertThat(context.getBean(Locking.class).acquired()).containsExactly("a");
		});
	}

	@Test
	void asynchronousMethodSeesTheUser() {
		logIn("KEEPER");
		this.contextRunner
			.run((context) -> assertThat(Threads.join(context.getBean(Vault.class).user("a"))).isEqualTo("jane"));
	}

	static class Vault {

		@PreAuthorize("hasRole('KEEPER')")
		@DistributedLock("@locking.key(#id)")
		public void open(String id) {
		}

		@DistributedLock("#id")
		public CompletableFuture<String> user(String id) {
			return CompletableFuture.completedFuture(SecurityContextHolder.getContext().getAuthentication().getName());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class MethodSecurity {

	}

}
