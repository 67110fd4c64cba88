package io.holdfast.sample;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Runs the same rush without and with the lock, prints both results, and fails if they
 * are not what they should be.
 */
@Component
@Profile(Demo.PROFILE)
class Demo implements ApplicationRunner, ExitCodeGenerator {

	/**
	 * Name of the profile, and of the option that switches it on.
	 */
	static final String PROFILE = "demo";

	private static final int BUYERS = 200;

	private final RushRunner runner;

	private int exitCode;

	Demo(RushRunner runner) {
		this.runner = runner;
	}

	@Override
	public void run(ApplicationArguments arguments) {
		RushResult without = this.runner.run(new Rush(BUYERS, false, true));
		RushResult with = this.runner.run(new Rush(BUYERS, true, true));
		DemoReport report = new DemoReport(without, with);
		System.out.println(report.table());
		for (String surprise : report.surprises()) {
			System.err.println(surprise);
			this.exitCode = 1;
		}
	}

	@Override
	public int getExitCode() {
		return this.exitCode;
	}

}
