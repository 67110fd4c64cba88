package io.holdfast.sample.page;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.openqa.selenium.JavascriptException;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * Chromium without a window, as Debian installs it.
 */
final class Browser implements AutoCloseable {

	private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

	private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

	/**
	 * What must be there.
	 */
	static final List<Path> FILES = List.of(CHROMIUM, DRIVER);

	private static final Duration LIMIT = Duration.ofSeconds(20);

	private final ChromeDriver driver;

	private Browser(ChromeDriver driver) {
		this.driver = driver;
	}

	static Browser start() {
		// Both named, so that nothing is looked for or downloaded. The driver makes a
		// profile and deletes it again when the browser, which writes to it, has ended.
		ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile())
			.usingAnyFreePort()
			.build();
		ChromeOptions options = new ChromeOptions();
		options.setBinary(CHROMIUM.toFile());
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
				"--disable-background-networking", "--disable-component-update", "--disable-sync",
				"--disable-dev-shm-usage");
		return new Browser(new ChromeDriver(service, options));
	}

	void open(String address) {
		this.driver.get(address);
	}

	/**
	 * Show the page as in a window of a size, on a device of which a user prefers a
	 * colour scheme.
	 */
	void look(int width, int height, String colorScheme) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
		prefer(Map.of("prefers-color-scheme", colorScheme, "prefers-reduced-motion", "reduce"));
	}

	void prefer(Map<String, String> features) {
		List<Map<String, String>> list = features.entrySet()
			.stream()
			.map((feature) -> Map.of("name", feature.getKey(), "value", feature.getValue()))
			.toList();
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", list));
	}

	/**
	 * Evaluate an expression.
	 */
	Object evaluate(String expression, Object... arguments) {
		return Objects.requireNonNull(this.driver.executeScript("return " + expression, arguments), expression);
	}

	/**
	 * Evaluate an expression that is a promise.
	 */
	Object promised(String expression) {
		String done = "arguments[arguments.length - 1]";
		return Objects.requireNonNull(this.driver.executeAsyncScript(
				"const done = %s; (%s).then(done, (error) => done(String(error)))".formatted(done, expression)));
	}

	void run(String script) {
		this.driver.executeScript(script);
	}

	/**
	 * Press keys, wherever the focus is.
	 */
	void type(Keys... keys) {
		for (Keys key : keys) {
			new Actions(this.driver).sendKeys(key).perform();
		}
	}

	ChromeDriver driver() {
		return this.driver;
	}

	/**
	 * Wait for something.
	 */
	void await(Supplier<String> whatIsThere, BooleanSupplier condition) {
		new WebDriverWait(this.driver, LIMIT, Duration.ofMillis(100)).ignoring(JavascriptException.class)
			.withMessage(whatIsThere)
			.until((driver) -> condition.getAsBoolean());
	}

	/**
	 * Show the page as where scrollbars take no room.
	 */
	void hideScrollbars() {
		this.driver.executeCdpCommand("Emulation.setScrollbarsHidden", Map.of("hidden", true));
	}

	byte[] screenshot() {
		return this.driver.getScreenshotAs(OutputType.BYTES);
	}

	@Override
	public void close() {
		this.driver.quit();
	}

}
