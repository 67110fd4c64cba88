package io.holdfast.faults.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.holdfast.faults.history.Promise;
import io.holdfast.faults.harness.Span;
import io.holdfast.faults.harness.WorkerJvm;

/**
 * The wall clock of a worker, which jumps by days; by means of libfaketime.
 */
public final class WallClock {

	private static final Duration TIME = Duration.ofMillis(900);

	private final Path library;

	private final Path setting;

	private WallClock(Path library, Path setting) {
		this.library = library;
		this.setting = setting;
	}

	/**
	 * Find out whether there is a clock that can be set.
	 */
	public static Optional<WallClock> find(Path directory) {
		return Stream.of("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64")
			.map((libraries) -> Path.of(libraries, "faketime", "libfaketimeMT.so.1"))
			.filter(Files::exists)
			.findFirst()
			.map((library) -> new WallClock(library, directory.resolve("clock")));
	}

	/**
	 * Return an environment in which a JVM has such a clock, and the monotonic clock that
	 * all have. Without the last of these settings, each wait by that clock is over at
	 * once.
	 */
	public Map<String, String> environment() throws IOException {
		set("+0");
		return Map.of("LD_PRELOAD", this.library.toString(), "FAKETIME_TIMESTAMP_FILE",
				this.setting.toAbsolutePath().toString(), "FAKETIME_NO_CACHE", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1",
				"DONT_FAKE_MONOTONIC", "1", "FAKETIME_FORCE_MONOTONIC_FIX", "0");
	}

	private void set(String offset) throws IOException {
		Files.writeString(this.setting, offset + "\n");
	}

	/**
	 * Return what happens to a worker that has been started in that environment.
	 */
	public Fault of(WorkerJvm worker) {
		return Fault.of("wall clock jumps", Promise.NOTHING_LOST, (random) -> jump(worker)).unnoticed();
	}

	private String jump(WorkerJvm worker) throws IOException {
		for (int days : List.of(40, -40, 0)) {
			set("%+dd".formatted(days));
			requireOff(worker, days);
			Span.last(TIME);
		}
		return "clock of %s forward by 40 days, back by 80, and right again".formatted(worker.name());
	}

	private static void requireOff(WorkerJvm worker, int days) {
		Instant expected = Instant.now().plus(Duration.ofDays(days));
		Duration wrong = Duration.between(worker.clock(), expected).abs();
		if (wrong.compareTo(Duration.ofHours(1)) > 0) {
			throw new IllegalStateException("The clock of %s should be off by %d days".formatted(worker.name(), days));
		}
	}

}
