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
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the page in a browser, with a real Redis and further instances.
 */
@EnabledWithBrowser
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = "spring.datasource.url=jdbc:h2:mem:page;LOCK_TIMEOUT=10000")
@Tag("any-jdk")
class SamplePageTests {

	private static final int REDIS_PORT = FreePort.find();

	private static final int WIDE = 1280;

	private static final int NARROW = 360;

	private static final int HEIGHT = 1040;

	private static final int PICTURE_HEIGHT = 1120;

	private static @Nullable Browser started;

	private final Browser browser = Objects.requireNonNull(started);

	@LocalServerPort
	private int port;

	@Autowired
	private JdbcClient jdbc;

	@Autowired
	private LockRegistry locks;

	@Autowired
	private LocksEndpoint locksEndpoint;

	@Autowired
	private StringRedisTemplate redis;

	@DynamicPropertySource
	static void ownRedis(DynamicPropertyRegistry registry) {
		registry.add("sample.redis-port", () -> REDIS_PORT);
	}

	@BeforeAll
	static void startBrowser() {
		started = Browser.start();
	}

	@AfterAll
	static void stopBrowser() {
		if (started != null) {
			started.close();
		}
	}

	@BeforeEach
	void lookLikeADesktop() {
		this.browser.look(WIDE, HEIGHT, "light");
	}

	@AfterEach
	void holdNothing() {
		RestClient.create("http://localhost:" + this.port)
			.post()
			.uri("/api/hold/force-release")
			.exchange((request, response) -> response.getStatusCode());
		Awaitility.await().until(() -> this.locks.held().isEmpty());
	}

	@Test
	void showsWhatTheServerHasSoldWithoutTheLockAndWithIt() {
		SamplePage page = SamplePage.open(this.browser, this.port);
		page.record("progress-label");
		page.press("run-unlocked");
		page.awaitText("verdict", "Without the lock");
		page.awaitText("progress-label", "The rush without the lock is over");
		int sold = countOrders();
		assertThat(sold).isGreaterThan(50);
		assertThat(page.result("unlocked", "sold")).isEqualTo(sold);
		assertThat(page.result("unlocked", "oversold")).isEqualTo(sold - 50);
		assertThat(page.text("verdict")).contains("%d of 50 lamps were sold: %d more".formatted(sold, sold - 50));

		page.press("run-locked");
		page.awaitText("verdict", "With the lock");
		page.awaitText("progress-label", "The rush with the lock is over");
		assertThat(countOrders()).isEqualTo(50);
		assertThat(page.text("verdict")).contains("50 of 50 lamps were sold: not one too many");
		assertThat(page.result("locked", "sold")).isEqualTo(50);
		assertThat(page.result("locked", "oversold")).isZero();
		assertThat(page.result("locked", "failed")).isZero();
		assertThat(page.result("locked", "took")).isPositive();
		assertThat(page.result("unlocked", "sold")).as("still there").isEqualTo(sold);
		assertThat(page.recorded())
			.anyMatch((text) -> text.matches("[1-9]\\d* of 200 buyers are done, without the lock"))
			.anyMatch((text) -> text.matches("[1-9]\\d* of 200 buyers are done, with the lock"));
	}

	@Test
	void showsWaitingTimesAsAChartAndAsATable() {
		SamplePage page = SamplePage.open(this.browser, this.port);
		assertThat(page.text("waits-none")).contains("Run the sale with the lock");
		page.press("run-locked");
		page.awaitText("verdict", "With the lock");
		List<Integer> counts = page.texts("#waits-table tbody td").stream().map(Integer::valueOf).toList();
		assertThat(counts).hasSizeBetween(2, 12);
		assertThat(counts.stream().mapToInt(Integer::intValue).sum()).isEqualTo(200);
		assertThat(this.browser.evaluate("Chart.getChart('waits').data.datasets[0].data"))
			.asInstanceOf(InstanceOfAssertFactories.list(Long.class))
			.isEqualTo(counts.stream().map(Integer::longValue).toList());
		assertThat(this.browser.evaluate("document.getElementById('waits').ariaLabel").toString())
			.startsWith("Histogram: half of 200 buyers waited for at most " + page.result("locked", "p50") + " ms");
		assertThat(this.browser.evaluate("Chart.getChart('waits').options.animation")).isEqualTo(false);
		assertThat(page.text("waits-none")).isEmpty();
	}

	@Test
	void showsTheLossOfALockThatIsTakenAway() {
		SamplePage page = SamplePage.open(this.browser, this.port);
		assertThat(page.text("losses-none")).isEqualTo("None");
		page.press("hold");
		page.awaitText("hold-state", "This instance holds the lock");
		page.awaitLock("demo:lamp", "exclusive", "(this one)", "nobody", " s");
		page.press("force-release");
		page.awaitText("loss", "demo:lamp is lost");
		assertThat(page.text("loss")).contains("an operator has released it");
		assertThat(page.texts("#losses li")).singleElement().asString().contains("demo:lamp, held by demo-hold-");
		page.awaitText("hold-state", "does not hold");
		page.awaitNoLock("demo:lamp");
	}

	@Test
	void showsLocksOfAnotherInstanceAndWaitsForThem() {
		int otherPort = FreePort.find();
		try (ConfigurableApplicationContext other = startHere(otherPort, REDIS_PORT)) {
			assertThat(other.isRunning()).isTrue();
			RestClient client = RestClient.create("http://localhost:" + otherPort);
			SamplePage page = SamplePage.open(this.browser, this.port);
			client.post().uri("/api/hold").retrieve().toBodilessEntity();
			page.awaitLock("demo:lamp", "exclusive", "nobody");
			assertThat(page.lock("demo:lamp")).doesNotContain("(this one)");
			page.press("hold");
			page.awaitText("hold-state", "This instance waits");
			page.awaitLock("demo:lamp", "1: ");
			client.post().uri("/api/hold/force-release").retrieve().toBodilessEntity();
			page.awaitText("hold-state", "This instance holds");
			page.awaitLock("demo:lamp", "(this one)", "nobody");
			assertThat(page.texts("#losses li")).as("lost by the other").isEmpty();
		}
	}

	@Test
	void saysWhenRedisIsGoneAndWhenItIsBack() throws IOException {
		int redisPort = FreePort.find();
		int otherPort = FreePort.find();
		TestRedis redis = TestRedis.start(redisPort);
		try (ConfigurableApplicationContext other = startHere(otherPort, redisPort)) {
			assertThat(other.isRunning()).isTrue();
			SamplePage page = SamplePage.open(this.browser, otherPort);
			page.press("hold");
			page.awaitLock("demo:lamp", "(this one)");
			redis.close();
			page.awaitText("locks-state", "Redis cannot be asked: these are the locks of this instance");
			page.awaitLock("demo:lamp", "(this one)");
			assertThat(page.text("connection")).contains("Connected");
			page.press("force-release");
			page.awaitText("trouble", "Redis cannot be asked");
			page.press("dismiss");
			assertThat(page.text("trouble")).isEmpty();
			assertThat(page.focused()).isEqualTo("force-release");
			redis = TestRedis.start(redisPort);
			this.browser.await(() -> page.text("locks-state"), () -> page.text("locks-state").isEmpty());
			page.press("run-locked");
			page.awaitText("verdict", "With the lock 50 of 50 lamps were sold");
		}
		finally {
			redis.close();
		}
	}

	@Test
	void showsKeysAndReasonsAsTheTextThatTheyAre() {
		String key = "<img src=x onerror=\"document.title='run'\">&lt;";
		try (LockHandle lock = this.locks.acquire(LockRequest.of(key)).orElseThrow()) {
			SamplePage page = SamplePage.open(this.browser, this.port);
			page.awaitLock(key, key, "exclusive", "(this one)");
			this.locksEndpoint.release(null, key);
			page.awaitText("loss", key + " is lost");
			assertThat(page.texts("#losses li")).singleElement().asString().contains(key + ", held by ");
			assertThat(lock.isHeld()).isFalse();
			assertThat(page.texts("main img")).isEmpty();
			assertThat(this.browser.evaluate("document.title")).isEqualTo("Holdfast sample");
		}
	}

	@Test
	void saysWhatKeepsALockFromBeingTold() {
		try (LockHandle lock = this.locks.acquire(LockRequest.of("odd")).orElseThrow()) {
			SamplePage page = SamplePage.open(this.browser, this.port);
			page.awaitLock("odd", "exclusive", "(this one)");
			this.redis.opsForValue().set("holdfast:{odd}:queue", "text");
			page.awaitLock("odd", "cannot be told: WRONGTYPE");
			assertThat(lock.isHeld()).isTrue();
		}
		finally {
			this.redis.delete("holdfast:{odd}:queue");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "{\"status\":500} | The server answered 500.", "null | The server answered 500.",
					"<html> | The server answered 500.", "'' | The server answered 500.",
					"{\"detail\":\"No.\"} | No." })
	void saysWhatWentWrongUntilThatIsDismissed(String body, String said) {
		SamplePage page = SamplePage.open(this.browser, this.port);
		this.browser.run("window.fetch = async () => new Response('%s', { status: 500 })".formatted(body));
		page.press("run-locked");
		page.awaitText("trouble", said);
		this.browser.type(Keys.ESCAPE);
		assertThat(page.text("trouble")).isEmpty();
		assertThat(page.focused()).isEqualTo("run-locked");
	}

	@Test
	void saysTheSameVerdictAgain() {
		SamplePage page = SamplePage.open(this.browser, this.port);
		page.press("run-locked");
		page.awaitText("verdict", "With the lock");
		String verdict = page.text("verdict");
		page.record("verdict");
		page.press("run-locked");
		this.browser.await(() -> "said again: " + page.recorded(), () -> page.recorded().size() >= 2);
		assertThat(page.recorded()).containsExactly("", verdict);
	}

	@Test
	void saysWhenTheServerIsGoneAndWhenItIsBack() {
		int otherPort = FreePort.find();
		SamplePage page;
		try (ConfigurableApplicationContext other = startHere(otherPort, REDIS_PORT)) {
			assertThat(other.isRunning()).isTrue();
			page = SamplePage.open(this.browser, otherPort);
		}
		page.awaitText("connection", "The server does not answer");
		page.press("run-locked");
		page.awaitText("trouble", "The server does not answer");
		try (ConfigurableApplicationContext other = startHere(otherPort, REDIS_PORT)) {
			assertThat(other.isRunning()).isTrue();
			page.awaitText("connection", "Connected");
			page.press("run-locked");
			page.awaitText("verdict", "With the lock");
			assertThat(page.text("trouble")).isEmpty();
		}
	}

	@Test
	void canBeUsedWithAKeyboardAlone() {
		SamplePage page = SamplePage.open(this.browser, this.port);
		page.tabTo("run-unlocked");
		page.tabTo("run-locked");
		assertThat(this.browser.evaluate("getComputedStyle(document.activeElement).outlineStyle")).isEqualTo("solid");
		this.browser.type(Keys.ENTER);
		page.awaitText("verdict", "With the lock");
		assertThat(page.focused()).isEqualTo("run-locked");
		page.tabTo("hold");
		this.browser.type(Keys.SPACE);
		page.awaitText("hold-state", "This instance holds");
		assertThat(page.focused()).isEqualTo("hold");
		page.tabTo("force-release");
		this.browser.type(Keys.ENTER);
		page.awaitText("loss", "demo:lamp is lost");
	}

	@Test
	void fitsIntoANarrowWindow() throws IOException {
		this.browser.look(NARROW, HEIGHT, "light");
		SamplePage page = SamplePage.open(this.browser, this.port);
		page.press("hold");
		page.awaitLock("demo:lamp", "(this one)");
		assertThat(this.browser.evaluate("getComputedStyle(document.querySelector('#locks td'), '::before').content"))
			.as("what a column's head would say")
			.asString()
			.startsWith("\"Key\"");
		page.runBoth();
		assertThat(this.browser.evaluate("innerWidth")).isEqualTo((long) NARROW);
		assertThat(this.browser.evaluate("document.documentElement.scrollWidth"))
			.isEqualTo(this.browser.evaluate("document.documentElement.clientWidth"));
		assertThat(this.browser.evaluate("[...document.querySelectorAll('main *')].filter((element) => "
				+ "element.getBoundingClientRect().right > innerWidth).map((element) => element.outerHTML)"))
			.isEqualTo(List.of());
		Accessibility.check(this.browser, "narrow");
	}

	@Test
	void isAccessibleInTheLightAndInTheDark() throws IOException {
		SamplePage page = SamplePage.open(this.browser, this.port);
		Accessibility.check(this.browser, "before anything has happened");
		page.press("hold");
		page.awaitLock("demo:lamp", "(this one)");
		page.runBoth();
		page.press("force-release");
		page.awaitText("loss", "demo:lamp is lost");
		Object light = this.browser.evaluate("Chart.getChart('waits').data.datasets[0].backgroundColor");
		Accessibility.check(this.browser, "light");
		this.browser.look(WIDE, HEIGHT, "dark");
		assertThat(this.browser.evaluate("getComputedStyle(document.body).backgroundColor"))
			.isEqualTo("rgb(18, 24, 26)");
		this.browser.await(() -> "other colours in the chart",
				() -> !light.equals(this.browser.evaluate("Chart.getChart('waits').data.datasets[0].backgroundColor")));
		Accessibility.check(this.browser, "dark");
	}

	@Test
	void staysWhereItIsWhenThereIsNews() {
		SamplePage page = SamplePage.open(this.browser, this.port);
		this.browser.run("""
				window.shifts = [];
				const place = (source) => `${source.node?.outerHTML ?? source.node?.textContent} was at `
					+ JSON.stringify(source.previousRect);
				new PerformanceObserver((list) => list.getEntries().filter((entry) => entry.value > 0.005)
					.forEach((entry) => window.shifts.push(entry.value, ...entry.sources.map(place))))
					.observe({ type: 'layout-shift' });""");
		page.runBoth();
		page.press("hold");
		page.awaitLock("demo:lamp", "(this one)");
		page.press("force-release");
		page.awaitText("loss", "demo:lamp is lost");
		assertThat(this.browser.evaluate("window.shifts")).isEqualTo(List.of());
	}

	@Test
	@EnabledIfSystemProperty(named = "holdfast.screenshot", matches = ".+", disabledReason = "Nobody wants a picture")
	void takesAPicture() throws IOException {
		this.browser.look(Integer.getInteger("holdfast.screenshot.width", WIDE), PICTURE_HEIGHT,
				System.getProperty("holdfast.screenshot.scheme", "light"));
		SamplePage page = SamplePage.open(this.browser, this.port);
		page.press("hold");
		page.awaitLock("demo:lamp", "(this one)");
		page.runBoth();
		this.browser.run("scrollTo(0, 0)");
		Path picture = Path.of(System.getProperty("holdfast.screenshot"));
		Files.createDirectories(picture.toAbsolutePath().getParent());
		Files.write(picture, this.browser.screenshot());
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
