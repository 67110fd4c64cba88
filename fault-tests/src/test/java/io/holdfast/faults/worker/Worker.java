package io.holdfast.faults.worker;

import java.io.IOException;
import java.time.Duration;

import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * One of the JVMs that work under locks. It is told what to do by lines of its input, and
 * ends when that does: with whoever has started it.
 */
public final class Worker {

	/**
	 * The first time takes longer than all others.
	 */
	private static final Duration LONG_START = Duration.ofSeconds(30);

	private Worker() {
	}

	/**
	 * Run a worker.
	 * @param args properties of the application
	 */
	public static void main(String[] args) throws IOException {
		Commands commands = new Commands(System.in, System.out);
		ConfigurableApplicationContext context = new SpringApplicationBuilder(WorkerApplication.class)
			.web(WebApplicationType.NONE)
			.run(args);
		WorkerSettings settings = WorkerSettings.of(context.getEnvironment());
		LockTemplate locks = context.getBean(LockTemplate.class);
		locks.executeWithoutResult(LockRequest.of("start").waitFor(LONG_START).lease(LONG_START), (lock) -> {
		});
		commands.follow(new Shift(locks, settings));
		context.close();
	}

}
