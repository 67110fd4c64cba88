package io.holdfast.sample.live;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

import io.holdfast.sample.FreePort;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for viewers that do not read what they are told.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
		"spring.datasource.url=jdbc:h2:mem:audience;LOCK_TIMEOUT=10000", "server.tomcat.connection-timeout=2s" })
class AudienceTests {

	private static final Message MUCH = new Message("much", "x".repeat(64 * 1024));

	@LocalServerPort
	private int port;

	@Autowired
	private Audience audience;

	@DynamicPropertySource
	static void ownRedis(DynamicPropertyRegistry registry) {
		int redisPort = FreePort.find();
		registry.add("sample.redis-port", () -> redisPort);
	}

	@Test
	void viewerThatDoesNotReadIsSentAwayAndHoldsUpNoOther() throws IOException {
		try (Socket slow = watchWithoutReading()) {
			Events events = Events.of(this.port);
			for (int i = 0; i < 4 * Viewer.BACKLOG; i++) {
				String number = "%03d".formatted(i);
				this.audience.tell(MUCH);
				this.audience.tell(new Message("number", number));
				if (i % 16 == 0) {
					events.await("number", number);
				}
			}
			assertThat(toldUntilTheEnd(slow)).contains("event:much").doesNotContainPattern("data:\"?255");
		}
	}

	private Socket watchWithoutReading() throws IOException {
		Set<Thread> before = threads();
		Socket socket = RawHttp.connect(this.port);
		RawHttp.send(socket, "GET /api/events", "localhost");
		await().until(() -> !before.containsAll(threads()));
		return socket;
	}

	/**
	 * Return what somebody was told, as soon as the server has ended that.
	 */
	private static String toldUntilTheEnd(Socket viewer) throws IOException {
		return new String(viewer.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
	}

	private static Set<Thread> threads() {
		Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
		threads.removeIf((thread) -> !thread.getName().startsWith("live-"));
		return threads;
	}

}
