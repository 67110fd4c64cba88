package io.holdfast.actuate;

import io.holdfast.LockHandle;
import io.holdfast.actuate.LocksApplication.Answer;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.web.util.UriUtils;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The endpoint over HTTP, in an application with WebFlux.
 */
@Tag("any-jdk")
@Tag("slow")
class LocksEndpointOnWebFluxTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static LocksApplication shop;

	@BeforeAll
	static void startApplication() {
		shop = LocksApplication.start("shop", "spring.main.web-application-type=reactive",
				"spring.data.redis.port=" + redis.port());
	}

	@AfterAll
	static void stopApplication() {
		shop.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/b/c", "a b", "ä✓😀", "100%", "a?b#c", "a+b&c=d", "a:b,c" })
	void locksAreToldAndTakenAway(String key) {
		assertThat(shop.context()).isInstanceOf(ReactiveWebServerApplicationContext.class);
		LockHandle lock = shop.template().acquire(key);
		assertThat(shop.get("").keys()).containsExactly(key);
		assertThat(shop.get("?scope=cluster").keys()).containsExactly(key);
		String path = "/" + UriUtils.encode(key, UTF_8).replace("%2F", "/");
		assertThat(shop.get(path).json().get("key")).isEqualTo(key);
		assertThat(shop.get("?key=" + UriUtils.encode(key, UTF_8)).json().get("key")).isEqualTo(key);
		assertThat(shop.delete(path).status()).isEqualTo(204);
		await().until(() -> !lock.isHeld());
		assertThat(shop.get(path).status()).isEqualTo(404);
		assertThat(shop.delete("?key=" + UriUtils.encode(key, UTF_8)).status()).isEqualTo(404);
	}

	@ParameterizedTest
	@ValueSource(strings = { "?key=a&key=b", "?scope=all", "?scope=cluster&scope=x" })
	void badQueriesAreRefused(String query) {
		Answer answer = shop.get(query);
		assertThat(answer.status()).isEqualTo(400);
		assertThat((String) answer.json().get("error")).contains("' must be");
	}

}
