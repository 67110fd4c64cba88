package io.holdfast.sample.page;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.openqa.selenium.By;
import org.openqa.selenium.JavascriptException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.WebDriverWait;

import org.springframework.core.io.ClassPathResource;

/**
 * The sample's page in Chromium without a window, as Debian installs it.
 */
final class SamplePage implements AutoCloseable {

	static final Path CHROMIUM = Path.of("/usr/bin/chromium");

	static final Path DRIVER = Path.of("/usr/bin/chromedriver");

	static final Duration LIMIT = Duration.ofMinutes(1);

	private final ChromeDriver driver;

	private SamplePage(ChromeDriver driver) {
		this.driver = driver;
	}

	static SamplePage start() {
		// Both named, so that nothing is looked for or downloaded
		ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile())
			.usingAnyFreePort()
			.build();
		ChromeOptions options = new ChromeOptions();
		options.setBinary(CHROMIUM.toFile());
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
				"--disable-background-networking", "--disable-component-update", "--disable-sync",
				"--disable-dev-shm-usage");
		return new SamplePage(new ChromeDriver(service, options));
	}

	void open(int port) {
		this.driver.get("http://localhost:%d/".formatted(port));
		awaitText("#connection", "Connected");
		await(() -> "a short name: " + text("#instance"), () -> text("#instance").matches("\\w{8,13}"));
	}

	/**
	 * Show the page as in a window of a size, for a user who prefers a colour scheme.
	 */
	void look(int width, int height, String colorScheme) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colorScheme),
						Map.of("name", "prefers-reduced-motion", "value", "reduce"))));
	}

	/**
	 * Press a button, once it can be pressed.
	 */
	void press(String id) {
		await(() -> id + " can be pressed",
				() -> !"true".equals(evaluate("String(document.getElementById(arguments[0]).ariaDisabled)", id)));
		this.driver.findElement(By.id(id)).click();
	}

	Object evaluate(String expression, Object... arguments) {
		return Objects.requireNonNull(this.driver.executeScript("return " + expression, arguments), expression);
	}

	/**
	 * Return what is to be read of an element, nothing if it is not shown. Not by what
	 * Selenium has for that, which takes the browser many times as long.
	 */
	String text(String selector) {
		return evaluate("((element) => element.checkVisibility() ? element.innerText.trim() : '')"
				+ "(document.querySelector(arguments[0]))", selector)
			.toString();
	}

	List<String> texts(String selector) {
		List<?> texts = (List<?>) evaluate(
				"[...document.querySelectorAll(arguments[0])].map((element) => element.textContent)", selector);
		return texts.stream().map(Object::toString).toList();
	}

	/**
	 * Return what is said of a run.
	 * @param run {@code locked} or {@code unlocked}
	 */
	String of(String run, String field) {
		return text("#%s [data-field='%s']".formatted(run, field));
	}

	int result(String run, String field) {
		return Integer.parseInt(of(run, field).replaceAll("\\D", ""));
	}

	/**
	 * Run the sale, and wait until it is over.
	 */
	void run(String run) {
		press("run-" + run);
		awaitOver(run);
	}

	void awaitOver(String run) {
		awaitText("#%s [data-field='note']".formatted(run), "Finished");
	}

	/**
	 * Return all there is to read of a lock, or nothing if it is not there.
	 */
	String lock(String key) {
		return evaluate("[...document.querySelectorAll('#locks tbody tr')]"
				+ ".find((row) => row.dataset.key === arguments[0])?.innerText ?? ''", key)
			.toString();
	}

	void awaitText(String selector, String part) {
		await(() -> "'%s' in %s, which says: %s".formatted(part, selector, text(selector)),
				() -> text(selector).contains(part));
	}

	void awaitLock(String key, String... parts) {
		await(() -> "%s with %s in the table, which says: %s".formatted(key, List.of(parts), text("#locks")),
				() -> !lock(key).isEmpty() && Stream.of(parts).allMatch(lock(key)::contains));
	}

	void awaitNoLock(String key) {
		await(() -> key + " is gone", () -> lock(key).isEmpty());
	}

	private void await(Supplier<String> whatIsThere, BooleanSupplier condition) {
		new WebDriverWait(this.driver, LIMIT, Duration.ofMillis(100)).ignoring(JavascriptException.class)
			.withMessage(whatIsThere)
			.until((driver) -> condition.getAsBoolean());
	}

	/**
	 * Return where the page breaks the rules of axe.
	 */
	List<?> barriers() throws IOException {
		this.driver.executeScript(new ClassPathResource("axe.min.js").getContentAsString(StandardCharsets.UTF_8));
		return (List<?>) Objects.requireNonNull(this.driver.executeAsyncScript("""
				axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
					.then(({ passes, violations }) => passes.length === 0 ? ['nothing was checked']
						: violations.flatMap((rule) => rule.nodes.map((node) => rule.id + ': ' + node.html)))
					.then(arguments[arguments.length - 1])"""));
	}

	byte[] picture(int width, String colorScheme) {
		this.driver.executeCdpCommand("Emulation.setScrollbarsHidden", Map.of("hidden", true));
		look(width, ((Number) evaluate("document.documentElement.scrollHeight")).intValue(), colorScheme);
		return this.driver.getScreenshotAs(OutputType.BYTES);
	}

	@Override
	public void close() {
		this.driver.quit();
	}

}
