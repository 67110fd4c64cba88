package io.holdfast.sample.live;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.sample.FreePort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for who is let in: what pages of other sites can make a browser send is refused.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
		"spring.datasource.url=jdbc:h2:mem:origin;LOCK_TIMEOUT=10000", "sample.web.hosts=sample-1,shop.example" })
class OriginTests {

	private static final String RUSH = "POST /api/sale/run?buyers=1";

	@LocalServerPort
	private int port;

	@DynamicPropertySource
	static void ownRedis(DynamicPropertyRegistry registry) {
		int redisPort = FreePort.find();
		registry.add("sample.redis-port", () -> redisPort);
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET /", "GET /actuator/locks", "GET /api/events", "POST /api/hold", RUSH })
	void refusesAllThatIsAskedOfAHostThatItIsNot(String request) throws IOException {
		assertThat(ask(request, "rebound.example:" + this.port, "Sec-Fetch-Site: same-origin")).startsWith(status(403))
			.contains("add it to sample.web.hosts");
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost", "LocalHost", "127.0.0.1", "[::1]", "sample-1", "Shop.Example" })
	void answersUnderItsOwnNames(String name) throws IOException {
		assertThat(ask("GET /", name + ":" + this.port)).startsWith(status(200));
		assertThat(ask("GET /", name)).startsWith(status(200));
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "localhost.rebound.example", "127.0.0.1.rebound.example", "127.0.0.2", "0.0.0.0", "sample-2" })
	void isNotTakenInByNamesThatLookLikeItsOwn(String name) throws IOException {
		assertThat(ask("GET /", name)).startsWith(status(403));
	}

	@ParameterizedTest
	@CsvSource({ "http://rebound.example, 403", "http://localhost, 403", "http://localhost:1, 403", "null, 403",
			"http://localhost:%d.rebound.example, 403", "http://localhost:%d, 200", "http://LOCALHOST:%d, 200" })
	void goesByTheOriginWhereABrowserSaysNoMore(String origin, int status) throws IOException {
		assertThat(ask(RUSH, "localhost:" + this.port, "Origin: " + origin.formatted(this.port)))
			.startsWith(status(status));
	}

	@ParameterizedTest
	@CsvSource({ "cross-site, 403", "same-site, 403", "same-origin, 200", "none, 200" })
	void goesByWhatABrowserSaysOfTheSite(String site, int status) throws IOException {
		assertThat(ask(RUSH, "localhost:" + this.port, "Sec-Fetch-Site: " + site)).startsWith(status(status));
	}

	@Test
	void cannotBeShownInAFrame() throws IOException {
		assertThat(ask("GET /", "localhost:" + this.port))
			.containsPattern("Content-Security-Policy: default-src 'self';.* frame-ancestors 'none'\r\n")
			.contains("X-Content-Type-Options: nosniff\r\n");
	}

	private String ask(String request, String host, String... headers) throws IOException {
		// No client would let a test set these headers
		try (Socket socket = new Socket("127.0.0.1", this.port)) {
			socket.setSoTimeout(20_000);
			List<String> lines = new ArrayList<>(List.of(request + " HTTP/1.1", "Host: " + host, "Connection: close"));
			lines.addAll(List.of(headers));
			socket.getOutputStream()
				.write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	private static String status(int code) {
		return "HTTP/1.1 " + code;
	}

}
