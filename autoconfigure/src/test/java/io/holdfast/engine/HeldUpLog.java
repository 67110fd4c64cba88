package io.holdfast.engine;

import java.util.concurrent.CountDownLatch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.holdfast.test.Threads;
import org.slf4j.LoggerFactory;

/**
 * Holds up who logs a certain warning, as a slow appender does.
 */
final class HeldUpLog extends UnsynchronizedAppenderBase<ILoggingEvent> implements AutoCloseable {

	private final CountDownLatch reached = new CountDownLatch(1);

	private final CountDownLatch goOn = new CountDownLatch(1);

	private final Logger logger;

	private final String text;

	/**
	 * Hold up a class when it logs a warning.
	 * @param text what the warning contains
	 */
	HeldUpLog(Class<?> logging, String text) {
		this(logging.getName(), text);
	}

	HeldUpLog(String logging, String text) {
		this.text = text;
		this.logger = (Logger) LoggerFactory.getLogger(logging);
		setContext(this.logger.getLoggerContext());
		start();
		this.logger.addAppender(this);
		this.logger.setAdditive(false);
		this.logger.setLevel(Level.WARN);
	}

	/**
	 * Wait until somebody is held up.
	 */
	void awaitReached() {
		Threads.await(this.reached);
	}

	/**
	 * Have what is not held up appear elsewhere as well.
	 */
	void passOn() {
		this.logger.setAdditive(true);
	}

	void goOn() {
		this.goOn.countDown();
	}

	@Override
	protected void append(ILoggingEvent event) {
		if (event.getFormattedMessage().contains(this.text)) {
			this.reached.countDown();
			Threads.await(this.goOn);
		}
	}

	@Override
	public void close() {
		goOn();
		this.logger.setLevel(null);
		this.logger.setAdditive(true);
		this.logger.detachAppender(this);
		stop();
	}

}
