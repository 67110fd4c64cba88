package io.holdfast.faults.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * One of the JVMs that work under locks. It is told what to do by lines of its input, and
 * ends when that does: with whoever has started it. Its answers begin with an {@code @},
 * since others write to the same output.
 */
public final class Worker {

	private static final String LEAVE = "leave";

	private Worker() {
	}

	public static void main(String[] args) throws Exception {
		BlockingQueue<String> commands = new LinkedBlockingQueue<>();
		Thread reader = new Thread(() -> read(commands), "commands");
		reader.setDaemon(true);
		reader.start();
		ConfigurableApplicationContext context = SpringApplication.run(Class.forName(args[0]),
				Arrays.copyOfRange(args, 1, args.length));
		Job job = context.getBean(Job.class);
		job.prepare();
		answer("ready");
		for (String command = commands.take(); !command.equals(LEAVE); command = commands.take()) {
			answer(job.follow(command));
		}
		context.close();
	}

	private static void read(BlockingQueue<String> commands) {
		try {
			BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				commands.add(line);
			}
		}
		catch (IOException ex) {
			// The same as the end
		}
		Runtime.getRuntime().halt(1);
	}

	public static void answer(String text) {
		System.out.println("@" + text);
	}

	public interface Job {

		default void prepare() {
		}

		/**
		 * Do as is told.
		 * @return the answer
		 */
		String follow(String command) throws Exception;

	}

}
