package io.holdfast.engine;

import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import org.slf4j.LoggerFactory;

/**
 * Has no memory for what a class logs.
 */
final class FailingLog extends UnsynchronizedAppenderBase<ILoggingEvent> implements AutoCloseable {

	private final AtomicInteger failures = new AtomicInteger();

	private final Logger logger;

	FailingLog(String logging) {
		this.logger = (Logger) LoggerFactory.getLogger(logging);
		setContext(this.logger.getLoggerContext());
		start();
		this.logger.addAppender(this);
		this.logger.setLevel(Level.WARN);
	}

	int failures() {
		return this.failures.get();
	}

	@Override
	protected void append(ILoggingEvent event) {
		this.failures.incrementAndGet();
		throw new OutOfMemoryError("Java heap space");
	}

	@Override
	public void close() {
		this.logger.setLevel(null);
		this.logger.detachAppender(this);
		stop();
	}

}
