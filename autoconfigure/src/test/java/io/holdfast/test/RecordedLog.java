package io.holdfast.test;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Remembers what is logged at level INFO and above.
 */
public final class RecordedLog extends UnsynchronizedAppenderBase<ILoggingEvent> implements AutoCloseable {

	private final List<Line> lines = new CopyOnWriteArrayList<>();

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast");

	private final @Nullable Level before = this.logger.getLevel();

	public RecordedLog() {
		setContext(this.logger.getLoggerContext());
		start();
		this.logger.setLevel(Level.INFO);
		this.logger.addAppender(this);
	}

	public List<Line> lines(String text) {
		return this.lines.stream().filter((line) -> line.text().contains(text)).toList();
	}

	public List<Line> lines(String text, String other) {
		return lines(text).stream().filter((line) -> line.text().contains(other)).toList();
	}

	@Override
	protected void append(ILoggingEvent event) {
		Map<String, String> values = (event.getKeyValuePairs() == null) ? Map.of()
				: event.getKeyValuePairs()
					.stream()
					.collect(Collectors.toMap((pair) -> pair.key, (pair) -> String.valueOf(pair.value)));
		this.lines.add(new Line(event.getLevel().toString(), event.getFormattedMessage(), values,
				event.getThrowableProxy() != null));
	}

	@Override
	public void close() {
		this.logger.detachAppender(this);
		this.logger.setLevel(this.before);
		stop();
	}

	/**
	 * What was logged.
	 *
	 * @param hasTrace whether a stack trace follows
	 */
	public record Line(String level, String text, Map<String, String> values, boolean hasTrace) {
	}

}
