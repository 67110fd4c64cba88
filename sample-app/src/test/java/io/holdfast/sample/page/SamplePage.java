package io.holdfast.sample.page;

import java.util.List;
import java.util.stream.Stream;

import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample's page, open in a browser.
 */
final class SamplePage {

	private static final int MOST_TABS = 5;

	private final Browser browser;

	private SamplePage(Browser browser) {
		this.browser = browser;
	}

	static SamplePage open(Browser browser, int port) {
		browser.open("http://localhost:%d/".formatted(port));
		SamplePage page = new SamplePage(browser);
		page.awaitText("connection", "Connected");
		browser.await(() -> "a short name: " + page.text("instance"), () -> page.text("instance").matches("\\w{8,13}"));
		return page;
	}

	/**
	 * Press a button, once it can be pressed.
	 */
	void press(String id) {
		this.browser.await(() -> id + " can be pressed", () -> isEnabled(id));
		click(id);
	}

	void click(String id) {
		this.browser.driver().findElement(By.id(id)).click();
	}

	boolean isEnabled(String id) {
		return !"true".equals(this.browser.evaluate("String(document.getElementById(arguments[0]).ariaDisabled)", id));
	}

	String text(String id) {
		return textOf("#" + id);
	}

	/**
	 * Return what is to be read of an element, nothing if it is not shown. Not by what
	 * Selenium has for that, which takes the browser many times as long.
	 */
	String textOf(String selector) {
		return this.browser
			.evaluate("((element) => element.checkVisibility() ? element.innerText.trim() : '')"
					+ "(document.querySelector(arguments[0]))", selector)
			.toString();
	}

	/**
	 * Return the texts of all elements.
	 */
	List<String> texts(String selector) {
		List<?> texts = (List<?>) this.browser
			.evaluate("[...document.querySelectorAll(arguments[0])].map((element) => element.textContent)", selector);
		return texts.stream().map(Object::toString).toList();
	}

	/**
	 * Return what is said of a run.
	 * @param run {@code locked} or {@code unlocked}
	 */
	String of(String run, String field) {
		return textOf("#%s [data-field='%s']".formatted(run, field));
	}

	/**
	 * Return a number that is said of a run.
	 */
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
		await("#%s [data-field='note']".formatted(run), "Finished");
	}

	/**
	 * Return where there is more room between one thing that is seen and the next than
	 * between the last line of a card and the heading of the next card.
	 */
	List<?> gaps() {
		return (List<?>) this.browser.promised("""
				(async () => {
					const seen = [...document.querySelectorAll('main button, main .meter, main td')];
					const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
					while (texts.nextNode()) {
						const range = document.createRange();
						range.selectNodeContents(texts.currentNode);
						seen.push(range);
					}
					const boxes = seen.map((each) => each.getBoundingClientRect()).filter(({ height }) => height > 1);
					boxes.sort((one, other) => one.top - other.top);
					const gaps = [];
					let bottom = boxes[0].bottom;
					for (const box of boxes) {
						if (box.top - bottom > 60) {
							gaps.push(`from ${bottom} to ${box.top}`);
						}
						bottom = Math.max(bottom, box.bottom);
					}
					return gaps;
				})()""");
	}

	/**
	 * Return all there is to read of a lock, or nothing if it is not there.
	 */
	String lock(String key) {
		Object row = this.browser.evaluate(
				"[...document.querySelectorAll('#locks tbody tr')].find((row) => row.dataset.key === arguments[0])?.innerText ?? ''",
				key);
		return row.toString();
	}

	void awaitText(String id, String part) {
		await("#" + id, part);
	}

	private void await(String selector, String part) {
		this.browser.await(() -> "'%s' in %s, which says: %s".formatted(part, selector, textOf(selector)),
				() -> textOf(selector).contains(part));
	}

	void awaitLock(String key, String... parts) {
		this.browser.await(
				() -> "%s with %s in the table, which says: %s".formatted(key, List.of(parts), text("locks")),
				() -> Stream.of(parts).allMatch(lock(key)::contains) && !lock(key).isEmpty());
	}

	/**
	 * Keep what an element says from now on, and no other one.
	 */
	void record(String run, String field) {
		this.browser.run("""
				window.recorder?.disconnect();
				window.recorded = [];
				const element = document.querySelector("#%s [data-field='%s']");
				window.recorder = new MutationObserver(() => window.recorded.push(element.textContent));
				window.recorder.observe(element, { childList: true, characterData: true, subtree: true });"""
			.formatted(run, field));
	}

	/**
	 * Return what was said meanwhile.
	 */
	List<String> recorded() {
		return ((List<?>) this.browser.evaluate("window.recorded")).stream().map(Object::toString).toList();
	}

	/**
	 * Go to an element by as many tabs as it takes.
	 */
	void tabTo(String id) {
		for (int i = 0; i < MOST_TABS && !focused().equals(id); i++) {
			this.browser.type(Keys.TAB);
		}
		assertThat(focused()).isEqualTo(id);
	}

	String focused() {
		return this.browser.evaluate("document.activeElement.id").toString();
	}

	void awaitNoLock(String key) {
		this.browser.await(() -> key + " is gone", () -> lock(key).isEmpty());
	}

	/**
	 * Run the sale both ways.
	 */
	void runBoth() {
		run("unlocked");
		run("locked");
	}

}
