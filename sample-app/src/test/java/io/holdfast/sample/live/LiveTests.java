package io.holdfast.sample.live;

import io.holdfast.sample.FreePort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what the page is told, and what it asks for, on a real Redis.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = "spring.datasource.url=jdbc:h2:mem:live;LOCK_TIMEOUT=10000")
class LiveTests {

	@LocalServerPort
	private int port;

	@Autowired
	private DemoHold hold;

	@DynamicPropertySource
	static void ownRedis(DynamicPropertyRegistry registry) {
		int redisPort = FreePort.find();
		registry.add("sample.redis-port", () -> redisPort);
	}

	@AfterEach
	void holdNothing() {
		await().atMost(Events.LIMIT).until(() -> {
			// It may be on the way to be held
			this.hold.forceRelease();
			return this.hold.message().content().toString().contains("NONE");
		});
	}

	@Test
	void tellsWhatIsHeldAndOfALossAtOnce() {
		Events events = Events.of(this.port);
		assertThat(post("/api/hold")).isEqualTo(HttpStatus.ACCEPTED);
		events.await("hold", "\"state\":\"WAITING\"");
		events.await("hold", "\"state\":\"HELD\"");
		events.await("locks", "\"key\":\"demo:lamp\"", "\"mode\":\"EXCLUSIVE\"", "\"remainingLease\":", "\"token\":",
				"\"since\":\"20", "\"waiters\":[]");
		assertThat(post("/api/hold/force-release")).isEqualTo(HttpStatus.NO_CONTENT);
		assertThat(events.await("lost", "\"key\":\"demo:lamp\"")).contains("\"thread\":\"demo-hold-1\"",
				"an operator has released it");
		await().atMost(Events.LIMIT).until(() -> events.last("hold").contains("\"state\":\"NONE\""));
	}

	@Test
	void tellsHowARushIsGettingOn() {
		Events events = Events.of(this.port);
		assertThat(post("/api/sale/run?buyers=100")).isEqualTo(HttpStatus.OK);
		events.await("rush", "\"stock\":50,\"done\":100,\"bought\":50,\"over\":true");
		assertThat(events.all("rush"))
			.allSatisfy((rush) -> assertThat(rush).contains("\"buyers\":100", "\"locked\":true"))
			.anySatisfy((rush) -> assertThat(rush).contains("\"done\":0,\"bought\":0,\"over\":false"))
			.anySatisfy((rush) -> assertThat(rush).containsPattern("\"done\":[1-9]\\d?,.*\"over\":false"));
	}

	@Test
	void tellsWhatCameOfTheLatestRushesAlsoThoseWhoComeLater() {
		Events events = Events.of(this.port);
		post("/api/sale/run?buyers=60&locked=false");
		post("/api/sale/run?buyers=70");
		events.await("result", "\"buyers\":70", "\"locked\":true", "\"sold\":50", "\"finished\":\"20");
		Events later = Events.of(this.port);
		assertThat(later.await("result", "\"locked\":true")).isEqualTo(events.last("result"));
		later.await("result", "\"buyers\":60", "\"locked\":false");
		later.await("rush", "\"over\":true");
	}

	@Test
	void refusesToHoldTwiceAndToTakeAwayWhatIsNotHeld() {
		refuses("/api/hold/force-release", HttpStatus.CONFLICT, "This instance does not hold the lock");
		post("/api/hold");
		refuses("/api/hold", HttpStatus.CONFLICT, "This instance holds the lock or waits for it");
	}

	private void refuses(String path, HttpStatus status, String detail) {
		client().post()
			.uri(path)
			.exchange()
			.expectStatus()
			.isEqualTo(status)
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo(detail);
	}

	private HttpStatus post(String path) {
		return HttpStatus.valueOf(client().post().uri(path).exchange().returnResult().getStatus().value());
	}

	private RestTestClient client() {
		return RestTestClient.bindToServer().baseUrl("http://localhost:" + this.port).build();
	}

}
