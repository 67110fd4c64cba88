package io.holdfast.sample;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the sale over HTTP, on a real Redis and a real database.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = "spring.datasource.url=jdbc:h2:mem:sale;LOCK_TIMEOUT=10000")
class SaleApiTests {

	@LocalServerPort
	private int port;

	private RestTestClient client = RestTestClient.bindToServer().build();

	@DynamicPropertySource
	static void ownRedis(DynamicPropertyRegistry registry) {
		int redisPort = FreePort.find();
		registry.add("sample.redis-port", () -> redisPort);
	}

	@BeforeEach
	void bindClient() {
		this.client = RestTestClient.bindToServer().baseUrl("http://localhost:" + this.port).build();
	}

	@Test
	void sellsWhatThereIsUnderTheLock() {
		RushResult result = run("buyers=200&locked=true");
		assertThat(result.failed()).isZero();
		assertThat(result.sold()).isEqualTo(50);
		assertThat(result.oversold()).isZero();
		assertThat(result.waitedMs().p50()).isPositive();
		assertThat(result.waitedMs().p99()).isGreaterThanOrEqualTo(result.waitedMs().p50());
	}

	@Test
	void oversellsWithoutTheLock() {
		RushResult result = run("buyers=200&locked=false");
		assertThat(result.failed()).isZero();
		assertThat(result.sold()).isGreaterThan(50);
		assertThat(result.oversold()).isEqualTo(result.sold() - 50);
		assertThat(result.waitedMs()).isEqualTo(Percentiles.NONE);
	}

	@Test
	void joinsTheSaleThatIsOnWhenAskedNotToRestock() {
		run("buyers=30");
		RushResult joined = run("buyers=30&restock=false");
		assertThat(joined.bought()).isEqualTo(20);
		assertThat(joined.sold()).isEqualTo(50);
		assertThat(joined.stock()).isEqualTo(50);
	}

	@Test
	void refusesARushOfNobodyOrOfTooMany() {
		refuses("buyers=0", "buyers must be from 1 to 10000, not 0");
		refuses("buyers=10001", "buyers must be from 1 to 10000, not 10001");
		refuses("buyers=all", "Failed to convert 'buyers' with value: 'all'");
	}

	@Test
	void showsTheHealthOfLocks() {
		this.client.get()
			.uri("/actuator/health")
			.exchangeSuccessfully()
			.expectBody()
			.jsonPath("$.components.locks.status")
			.isEqualTo("UP")
			.jsonPath("$.components.locks.details.held")
			.isEqualTo(0);
	}

	private void refuses(String query, String detail) {
		this.client.post()
			.uri("/api/sale/run?" + query)
			.exchange()
			.expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo(detail);
	}

	private RushResult run(String query) {
		RushResult result = this.client.post()
			.uri("/api/sale/run?" + query)
			.exchangeSuccessfully()
			.expectBody(RushResult.class)
			.returnResult()
			.getResponseBody();
		assertThat(result).isNotNull();
		return result;
	}

}
