package io.holdfast.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The wall clock of a worker, which jumps by days; by means of libfaketime.
 */
final class WallClock {

	static final Optional<Path> LIBRARY = Stream
		.of("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64")
		.map((libraries) -> Path.of(libraries, "faketime", "libfaketimeMT.so.1"))
		.filter(Files::exists)
		.findFirst();

	private final Path setting;

	private WorkerJvm worker;

	WallClock(Path directory) {
		this.setting = directory.resolve("clock").toAbsolutePath();
	}

	/**
	 * Hire a worker whose JVM has such a clock, and the monotonic clock that all have.
	 * Without the last of these settings, each wait by that clock is over at once.
	 */
	WorkerJvm hire(Team team) {
		set("+0");
		this.worker = team.hire(List.of(),
				Map.of("LD_PRELOAD", LIBRARY.orElseThrow().toString(), "FAKETIME_TIMESTAMP_FILE",
						this.setting.toString(), "FAKETIME_NO_CACHE", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1",
						"DONT_FAKE_MONOTONIC", "1", "FAKETIME_FORCE_MONOTONIC_FIX", "0"));
		return this.worker;
	}

	private void set(String offset) {
		try {
			Files.writeString(this.setting, offset + "\n");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String jump() {
		for (int days : List.of(40, -40, 0)) {
			set("%+dd".formatted(days));
			Instant expected = Instant.now().plus(Duration.ofDays(days));
			Duration wrong = Duration.between(this.worker.clock(), expected).abs();
			if (wrong.compareTo(Duration.ofHours(1)) > 0) {
				throw new IllegalStateException("The clock should be off by %d days".formatted(days));
			}
			Fault.last(Duration.ofMillis(900));
		}
		return this.worker.name() + " forward by 40 days, back by 80, and right again";
	}

}
