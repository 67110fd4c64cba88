package io.holdfast.benchmarks;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;

import org.HdrHistogram.Histogram;

/**
 * What a thread or a worker has measured.
 *
 * @param operations operations that were finished in the window
 * @param allOperations those of the warm-up and after the window as well
 * @param cpuNanos CPU time of the JVM in the window
 * @param heldNanos for how much of the window the lock was held
 * @param latencies times in nanoseconds
 */
record Measured(long operations, long allOperations, long cpuNanos, long heldNanos, Histogram latencies) {

	static Histogram histogram() {
		return new Histogram(3);
	}

	static Measured nothing() {
		return new Measured(0, 0, 0, 0, histogram());
	}

	Measured plus(Measured other) {
		Histogram sum = histogram();
		sum.add(this.latencies);
		sum.add(other.latencies);
		return new Measured(this.operations + other.operations, this.allOperations + other.allOperations,
				this.cpuNanos + other.cpuNanos, this.heldNanos + other.heldNanos, sum);
	}

	static Measured parse(String line) {
		try {
			String[] parts = line.split(" ");
			return new Measured(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]),
					Long.parseLong(parts[3]),
					Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(parts[4])), 0));
		}
		catch (DataFormatException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	@Override
	public String toString() {
		ByteBuffer buffer = ByteBuffer.allocate(this.latencies.getNeededByteBufferCapacity());
		int length = this.latencies.encodeIntoCompressedByteBuffer(buffer);
		return "%d %d %d %d %s".formatted(this.operations, this.allOperations, this.cpuNanos, this.heldNanos,
				Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length)));
	}

}
