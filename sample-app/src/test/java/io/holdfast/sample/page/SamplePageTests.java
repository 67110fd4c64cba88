package io.holdfast.sample.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.actuate.LocksEndpoint;
import io.holdfast.sample.FreePort;
import io.holdfast.sample.SampleApplication;
import io.holdfast.sample.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the page in a browser, with a real Redis and further instances. Where there
 * is no browser, they are skipped, unless {@code HOLDFAST_BROWSER=required}.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = "spring.datasource.url=jdbc:h2:mem:page;LOCK_TIMEOUT=10000")
@Tag("any-jdk")
class SamplePageTests {

	private static final int REDIS_PORT = FreePort.find();

	private static final int WIDE = 1280;

	private static final int NARROW = 390;

	private static final int HEIGHT = 1040;

	private static @Nullable SamplePage started;

	private final SamplePage page = Objects.requireNonNull(started);

	@LocalServerPort
	private int port;

	@Autowired
	private JdbcClient jdbc;

	@Autowired
	private LockRegistry locks;

	@Autowired
	private LocksEndpoint locksEndpoint;

	@DynamicPropertySource
	static void ownRedis(DynamicPropertyRegistry registry) {
		registry.add("sample.redis-port", () -> REDIS_PORT);
	}

	@BeforeAll
	static void startBrowser() {
		if (!"required".equals(System.getenv("HOLDFAST_BROWSER"))) {
			Assumptions.assumeTrue(Files.isExecutable(SamplePage.CHROMIUM) && Files.isExecutable(SamplePage.DRIVER),
					"There is no browser: install the packages chromium and chromium-driver to test the page");
		}
		started = SamplePage.start();
	}

	@AfterAll
	static void stopBrowser() {
		if (started != null) {
			started.close();
		}
	}

	@BeforeEach
	void lookLikeADesktop() {
		this.page.look(WIDE, HEIGHT, "light");
	}

	@AfterEach
	void holdNothing() {
		RestClient.create("http://localhost:" + this.port)
			.post()
			.uri("/api/hold/force-release")
			.exchange((request, response) -> response.getStatusCode());
		Awaitility.await().atMost(SamplePage.LIMIT).until(() -> this.locks.held().isEmpty());
	}

	@Test
	void showsWhatTheServerHasSoldWithoutTheLockAndWithIt() {
		this.page.open(this.port);
		this.page.run("unlocked");
		int sold = countOrders();
		assertThat(sold).isGreaterThan(50);
		assertThat(this.page.result("unlocked", "sold")).isEqualTo(sold);
		assertThat(this.page.result("unlocked", "oversold")).isEqualTo(sold - 50);
		assertThat(this.page.of("unlocked", "p99")).isEqualTo("none");
		this.page.run("locked");
		assertThat(countOrders()).isEqualTo(50);
		assertThat(this.page.of("locked", "note")).contains("50 of 50 lamps sold, none too many");
		assertThat(this.page.result("locked", "sold")).isEqualTo(50);
		assertThat(this.page.result("locked", "failed")).isZero();
		assertThat(this.page.result("locked", "p99")).isGreaterThanOrEqualTo(this.page.result("locked", "p50"));
		assertThat(this.page.text("#headline"))
			.isEqualTo("Without the lock, the shop sold %d lamps too many. With it, none.".formatted(sold - 50));
		List<Integer> waits = this.page.texts("#waits-table tbody td").stream().map(Integer::valueOf).toList();
		assertThat(waits).hasSizeBetween(2, 12);
		assertThat(waits.stream().mapToInt(Integer::intValue).sum()).isEqualTo(200);
	}

	@Test
	void stillSaysWhatWasOversoldAfterAReloadAndWhenTheServerIsGoneAndBack() {
		int otherPort = FreePort.find();
		try (ConfigurableApplicationContext other = startHere(otherPort, REDIS_PORT)) {
			assertThat(other.isRunning()).isTrue();
			this.page.open(otherPort);
			assertThat(this.page.text("#headline"))
				.isEqualTo("200 buyers want 50 lamps. How many lamps will the shop sell?");
			this.page.run("unlocked");
			this.page.run("locked");
			List<String> said = List.of(this.page.text("#headline"), this.page.text("#sale"), this.page.text("#waits"));
			this.page.open(otherPort);
			this.page.awaitOver("unlocked");
			this.page.awaitOver("locked");
			assertThat(List.of(this.page.text("#headline"), this.page.text("#sale"), this.page.text("#waits")))
				.isEqualTo(said);
			assertThatLocksOfAnotherInstanceAreShownAndWaitedFor(otherPort);
			this.page.open(otherPort);
		}
		this.page.awaitText("#connection", "The server does not answer");
		try (ConfigurableApplicationContext other = startHere(otherPort, REDIS_PORT)) {
			assertThat(other.isRunning()).isTrue();
			this.page.awaitText("#connection", "Connected");
			this.page.run("locked");
		}
	}

	private void assertThatLocksOfAnotherInstanceAreShownAndWaitedFor(int otherPort) {
		RestClient client = RestClient.create("http://localhost:" + otherPort);
		this.page.open(this.port);
		client.post().uri("/api/hold").retrieve().toBodilessEntity();
		this.page.awaitLock("demo:lamp", "exclusive", "nobody");
		assertThat(this.page.lock("demo:lamp")).doesNotContain("this instance");
		this.page.press("hold");
		this.page.awaitText("#hold-state", "This instance waits");
		this.page.awaitLock("demo:lamp", "next: demo-hold-");
		client.post().uri("/api/hold/force-release").retrieve().toBodilessEntity();
		this.page.awaitLock("demo:lamp", "this instance", "nobody");
		assertThat(this.page.texts("#losses li")).as("lost by the other").isEmpty();
	}

	@Test
	void namesHoldersAsPeopleKnowThemAndShowsTheLossOfALockThatIsTakenAway() {
		this.page.open(this.port);
		String instance = this.locksEndpoint.locks(false).instance();
		String name = instance.substring(instance.lastIndexOf('/') + 1);
		assertThat(this.page.text("#instance")).isEqualTo(name);
		this.page.press("hold");
		this.page.awaitLock("demo:lamp", "exclusive", "this instance", "nobody", " s left");
		assertThat(this.page.lock("demo:lamp")).doesNotContain(instance)
			.containsSubsequence("demo-hold-", "holdfast-sample", " on ", "process " + ProcessHandle.current().pid(),
					name + ":");
		this.page.press("force-release");
		this.page.awaitText("#losses", "demo:lamp' was lost");
		assertThat(this.page.text("#losses")).contains("an operator has released it", "Thread demo-hold-");
		this.page.awaitNoLock("demo:lamp");
	}

	@Test
	void saysWhenRedisIsGoneAndWhenItIsBack() throws IOException {
		int redisPort = FreePort.find();
		int otherPort = FreePort.find();
		TestRedis redis = TestRedis.start(redisPort);
		try (ConfigurableApplicationContext other = startHere(otherPort, redisPort)) {
			assertThat(other.isRunning()).isTrue();
			this.page.open(otherPort);
			this.page.press("hold");
			this.page.awaitLock("demo:lamp", "this instance");
			redis.close();
			this.page.awaitText("#locks-state", "Redis does not answer: these are the locks of this instance");
			this.page.press("force-release");
			this.page.awaitText("#trouble", "Redis does not answer");
			redis = TestRedis.start(redisPort);
			this.page.run("locked");
			assertThat(this.page.of("locked", "note")).contains("50 of 50 lamps sold, none too many");
		}
		finally {
			redis.close();
		}
	}

	@Test
	void showsKeysAndReasonsAsTheTextThatTheyAre() {
		String key = "<img src=x onerror=\"document.title='run'\">&lt;";
		try (LockHandle lock = this.locks.tryAcquire(LockRequest.of(key)).orElseThrow()) {
			this.page.open(this.port);
			this.page.awaitLock(key, key, "exclusive", "this instance");
			this.locksEndpoint.release(null, key);
			this.page.awaitText("#losses", key + "' was lost");
			assertThat(lock.isHeld()).isFalse();
			assertThat(this.page.texts("main img")).isEmpty();
			assertThat(this.page.evaluate("document.title")).isEqualTo("Holdfast sample");
		}
	}

	@Test
	void isAccessibleInTheDarkAndInANarrowWindow() throws IOException {
		this.page.look(WIDE, HEIGHT, "dark");
		this.page.open(this.port);
		assertThat(this.page.barriers()).isEmpty();
		this.page.press("hold");
		this.page.awaitLock("demo:lamp", "this instance");
		this.page.run("unlocked");
		this.page.run("locked");
		this.page.press("force-release");
		this.page.awaitText("#losses", "demo:lamp' was lost");
		assertThat(this.page.barriers()).isEmpty();
		this.page.look(NARROW, HEIGHT, "light");
		assertThat(this.page.evaluate("document.documentElement.scrollWidth"))
			.isEqualTo(this.page.evaluate("document.documentElement.clientWidth"));
		assertThat(this.page.barriers()).isEmpty();
	}

	@Test
	@EnabledIfSystemProperty(named = "holdfast.screenshot", matches = ".+", disabledReason = "No picture is asked for")
	void takesAPicture() throws IOException {
		int width = Integer.getInteger("holdfast.screenshot.width", WIDE);
		String scheme = System.getProperty("holdfast.screenshot.scheme", "light");
		this.page.look(width, HEIGHT, scheme);
		this.page.open(this.port);
		this.page.press("hold");
		this.page.awaitLock("demo:lamp", "this instance");
		this.page.run("unlocked");
		this.page.run("locked");
		this.page.awaitNoLock("sale:1");
		Path picture = Path.of(System.getProperty("holdfast.screenshot"));
		Files.createDirectories(picture.toAbsolutePath().getParent());
		Files.write(picture, this.page.picture(width, scheme));
	}

	private static ConfigurableApplicationContext startHere(int port, int redisPort) {
		return SpringApplication.run(SampleApplication.class, "--server.port=" + port,
				"--sample.redis-port=" + redisPort, "--spring.datasource.url=jdbc:h2:mem:here;LOCK_TIMEOUT=10000");
	}

	private int countOrders() {
		return this.jdbc.sql("select count(*) from sale_order where sale = (select max(sale) from product)")
			.query(Integer.class)
			.single();
	}

}
