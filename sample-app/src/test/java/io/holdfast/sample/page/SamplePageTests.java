package io.holdfast.sample.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
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
import static org.assertj.core.api.Assertions.within;

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

	private static final int NARROW = 390;

	private static final int HEIGHT = 1040;

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
		assertThat(page.texts(".run h3")).containsExactly("1 Without the lock", "2 With the lock");
		assertThat(this.browser.evaluate("[...document.querySelectorAll('.run button')].map((button) => button.id)"))
			.isEqualTo(List.of("run-unlocked", "run-locked"));
		page.run("unlocked");
		int sold = countOrders();
		assertThat(sold).isGreaterThan(50);
		assertThat(page.result("unlocked", "sold")).isEqualTo(sold);
		assertThat(page.result("unlocked", "oversold")).isEqualTo(sold - 50);
		assertThat(page.of("unlocked", "note")).contains("%d of 50 lamps sold, %d too many".formatted(sold, sold - 50));

		page.record("locked", "sold");
		page.run("locked");
		assertThat(countOrders()).isEqualTo(50);
		assertThat(page.of("locked", "note")).contains("50 of 50 lamps sold, none too many");
		assertThat(page.result("locked", "sold")).isEqualTo(50);
		assertThat(page.result("locked", "oversold")).isZero();
		assertThat(page.result("locked", "failed")).isZero();
		assertThat(page.result("locked", "took")).isPositive();
		assertThat(page.result("locked", "p99")).isGreaterThanOrEqualTo(page.result("locked", "p50"));
		assertThat(page.of("unlocked", "p99")).isEqualTo("none");
		assertThat(page.result("unlocked", "sold")).as("still there").isEqualTo(sold);
		assertThat(page.text("headline"))
			.isEqualTo("Without the lock, the shop sold %d lamps too many. With it, none.".formatted(sold - 50));
		assertThat(page.recorded()).as("meanwhile").anyMatch((text) -> !text.equals("0") && !text.equals("50"));
		assertWaitingTimesLookLikeAHistogram(page);

		page.record("locked", "note");
		page.run("locked");
		assertThat(page.recorded()).hasSize(2).first().asString().startsWith("The shop is selling");
		assertThat(page.recorded()).last()
			.asString()
			.as("the same verdict again")
			.startsWith("50 of 50 lamps sold, none too many. Finished at");
	}

	private void assertWaitingTimesLookLikeAHistogram(SamplePage page) {
		List<Integer> counts = page.texts("#waits-table tbody td").stream().map(Integer::valueOf).toList();
		assertThat(counts).hasSizeBetween(2, 12);
		assertThat(counts.stream().mapToInt(Integer::intValue).sum()).isEqualTo(200);
		assertThat(page.text("waits-none")).isEmpty();
		int most = Collections.max(counts);
		List<?> heights = (List<?>) this.browser.evaluate("[...document.querySelectorAll('#waits-table tbody td')]"
				+ ".map((cell) => parseFloat(getComputedStyle(cell, '::after').height))");
		double highest = ((Number) heights.get(counts.indexOf(most))).doubleValue();
		assertThat(highest).isGreaterThan(40);
		assertThat(heights).zipSatisfy(counts, (height, count) -> assertThat(((Number) height).doubleValue())
			.isCloseTo(highest * count / most, within(1.0)));
	}

	@Test
	void stillSaysWhatWasOversoldAfterAReloadAndWhenTheServerIsGoneAndBack() {
		int otherPort = FreePort.find();
		SamplePage page;
		try (ConfigurableApplicationContext other = startHere(otherPort, REDIS_PORT)) {
			assertThat(other.isRunning()).isTrue();
			page = SamplePage.open(this.browser, otherPort);
			assertThat(page.text("headline")).isEqualTo("200 buyers want 50 lamps. How many lamps will the shop sell?");
			assertThat(page.of("unlocked", "note")).startsWith("Not run yet");
			page.run("unlocked");
			assertThat(page.text("headline"))
				.matches("Without the lock, the shop sold \\d+ lamps that it did not have\\.");
			page.run("locked");
			List<String> said = List.of(page.text("headline"), page.text("sale"), page.text("waits"));
			page = SamplePage.open(this.browser, otherPort);
			page.awaitOver("unlocked");
			page.awaitOver("locked");
			assertThat(List.of(page.text("headline"), page.text("sale"), page.text("waits"))).isEqualTo(said);
			assertThat(page.text("headline"))
				.matches("Without the lock, the shop sold \\d+ lamps too many. With it, none.");
			assertThat(page.of("unlocked", "note")).containsPattern("Finished .*at \\d\\d:\\d\\d:\\d\\d");
			assertThatLocksOfAnotherInstanceAreShownAndWaitedFor(otherPort);
			page = SamplePage.open(this.browser, otherPort);
		}
		page.awaitText("connection", "The server does not answer");
		page.press("run-locked");
		page.awaitText("trouble", "The server does not answer");
		try (ConfigurableApplicationContext other = startHere(otherPort, REDIS_PORT)) {
			assertThat(other.isRunning()).isTrue();
			page.awaitText("connection", "Connected");
			page.run("locked");
			assertThat(page.text("trouble")).isEmpty();
		}
	}

	private void assertThatLocksOfAnotherInstanceAreShownAndWaitedFor(int otherPort) {
		RestClient client = RestClient.create("http://localhost:" + otherPort);
		SamplePage page = SamplePage.open(this.browser, this.port);
		client.post().uri("/api/hold").retrieve().toBodilessEntity();
		page.awaitLock("demo:lamp", "exclusive", "nobody");
		assertThat(page.lock("demo:lamp")).doesNotContain("this instance");
		page.press("hold");
		page.awaitText("hold-state", "This instance waits");
		page.awaitLock("demo:lamp", "next: demo-hold-");
		client.post().uri("/api/hold/force-release").retrieve().toBodilessEntity();
		page.awaitText("hold-state", "This instance holds");
		page.awaitLock("demo:lamp", "this instance", "nobody");
		assertThat(page.texts("#losses li")).as("lost by the other").isEmpty();
	}

	@Test
	void namesHoldersAsPeopleKnowThemAndShowsTheLossOfALockThatIsTakenAway() {
		SamplePage page = SamplePage.open(this.browser, this.port);
		String instance = this.locksEndpoint.locks(false).instance();
		assertThat(page.text("instance")).isEqualTo(instance.substring(instance.lastIndexOf('/') + 1));
		assertThat(page.text("losses-none")).startsWith("None since this page was opened");
		page.press("hold");
		page.awaitText("hold-state", "This instance holds the lock");
		page.awaitLock("demo:lamp", "exclusive", "this instance", "process ", "demo-hold-", "nobody", " s left");
		assertThat(page.lock("demo:lamp")).doesNotContain(instance)
			.containsSubsequence("demo-hold-", "holdfast-sample", " on ", "process " + ProcessHandle.current().pid(),
					instance.substring(instance.lastIndexOf('/') + 1) + ":");
		page.press("force-release");
		page.awaitText("losses", "demo:lamp' was lost");
		assertThat(page.text("losses")).contains("an operator has released it", "Thread demo-hold-");
		assertThat(page.text("losses-none")).isEmpty();
		page.awaitText("hold-state", "does not hold");
		page.awaitNoLock("demo:lamp");
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
			page.awaitLock("demo:lamp", "this instance");
			redis.close();
			page.awaitText("locks-state", "Redis does not answer: these are the locks of this instance");
			page.awaitLock("demo:lamp", "this instance");
			assertThat(page.text("connection")).contains("Connected");
			page.press("force-release");
			page.awaitText("trouble", "Redis does not answer");
			page.press("dismiss");
			assertThat(page.text("trouble")).isEmpty();
			assertThat(page.focused()).isEqualTo("force-release");
			redis = TestRedis.start(redisPort);
			this.browser.await(() -> page.text("locks-state"), () -> page.text("locks-state").isEmpty());
			page.run("locked");
			assertThat(page.of("locked", "note")).contains("50 of 50 lamps sold, none too many");
		}
		finally {
			redis.close();
		}
	}

	@Test
	void showsKeysAndReasonsAsTheTextThatTheyAre() {
		String key = "<img src=x onerror=\"document.title='run'\">&lt;";
		try (LockHandle lock = this.locks.tryAcquire(LockRequest.of(key)).orElseThrow()) {
			SamplePage page = SamplePage.open(this.browser, this.port);
			page.awaitLock(key, key, "exclusive", "this instance");
			this.locksEndpoint.release(null, key);
			page.awaitText("losses", key + "' was lost");
			assertThat(page.texts("#losses li")).singleElement().asString().contains("Lock '" + key + "' was lost");
			assertThat(lock.isHeld()).isFalse();
			assertThat(page.texts("main img")).isEmpty();
			assertThat(this.browser.evaluate("document.title")).isEqualTo("Holdfast sample");
		}
	}

	@Test
	void canBeUsedWithAKeyboardAlone() {
		SamplePage page = SamplePage.open(this.browser, this.port);
		page.tabTo("run-unlocked");
		page.tabTo("run-locked");
		assertThat(this.browser.evaluate("getComputedStyle(document.activeElement).outlineStyle")).isEqualTo("solid");
		this.browser.type(Keys.ENTER);
		page.awaitOver("locked");
		assertThat(page.focused()).isEqualTo("run-locked");
		page.tabTo("hold");
		this.browser.type(Keys.SPACE);
		page.awaitText("hold-state", "This instance holds");
		assertThat(page.focused()).isEqualTo("hold");
		page.tabTo("force-release");
		this.browser.type(Keys.ENTER);
		page.awaitText("losses", "demo:lamp' was lost");
	}

	@Test
	void fitsIntoANarrowWindow() throws IOException {
		this.browser.look(NARROW, HEIGHT, "light");
		SamplePage page = SamplePage.open(this.browser, this.port);
		assertNothingSticksOutOrIsMissing(page);
		page.press("hold");
		page.awaitLock("demo:lamp", "this instance");
		assertThat(this.browser.evaluate("getComputedStyle(document.querySelector('#locks td'), '::before').content"))
			.as("what a column's head would say")
			.asString()
			.startsWith("\"Lock\"");
		page.runBoth();
		assertNothingSticksOutOrIsMissing(page);
		Accessibility.check(this.browser, "narrow");
	}

	private void assertNothingSticksOutOrIsMissing(SamplePage page) {
		for (int width : List.of(360, NARROW)) {
			this.browser.look(width, HEIGHT, "light");
			assertThat(this.browser.evaluate("innerWidth")).isEqualTo((long) width);
			assertThat(this.browser.evaluate("document.documentElement.scrollWidth"))
				.isEqualTo(this.browser.evaluate("document.documentElement.clientWidth"));
			assertThat(this.browser.evaluate("[...document.querySelectorAll('main *')].filter((element) => "
					+ "element.getBoundingClientRect().right > innerWidth).map((element) => element.outerHTML)"))
				.isEqualTo(List.of());
			assertThat(page.gaps()).as("gaps at %d px", width).isEqualTo(List.of());
		}
	}

	@Test
	void isAccessibleInTheLightAndInTheDark() throws IOException {
		SamplePage page = SamplePage.open(this.browser, this.port);
		for (String scheme : List.of("light", "dark")) {
			this.browser.look(WIDE, HEIGHT, scheme);
			Accessibility.check(this.browser, "before anything has happened, " + scheme);
		}
		page.press("hold");
		page.awaitLock("demo:lamp", "this instance");
		page.runBoth();
		page.press("force-release");
		page.awaitText("losses", "demo:lamp' was lost");
		page.awaitText("hold-state", "does not hold");
		for (String scheme : List.of("light", "dark")) {
			this.browser.look(WIDE, HEIGHT, scheme);
			Accessibility.check(this.browser, "afterwards, " + scheme);
		}
	}

	@Test
	@EnabledIfSystemProperty(named = "holdfast.screenshot", matches = ".+", disabledReason = "Nobody wants a picture")
	void takesAPicture() throws IOException {
		int width = Integer.getInteger("holdfast.screenshot.width", WIDE);
		String scheme = System.getProperty("holdfast.screenshot.scheme", "light");
		this.browser.look(width, HEIGHT, scheme);
		SamplePage page = SamplePage.open(this.browser, this.port);
		page.press("hold");
		page.awaitLock("demo:lamp", "this instance");
		page.runBoth();
		page.awaitNoLock("sale:1");
		// All of it
		this.browser.hideScrollbars();
		Number height = (Number) this.browser.evaluate("document.documentElement.scrollHeight");
		this.browser.look(width, height.intValue(), scheme);
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
