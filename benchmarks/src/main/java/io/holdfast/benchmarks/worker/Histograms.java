package io.holdfast.benchmarks.worker;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;

import org.HdrHistogram.Histogram;

/**
 * Histograms of times in nanoseconds, and how they travel between JVMs.
 */
public final class Histograms {

	private static final int SIGNIFICANT_DIGITS = 3;

	private Histograms() {
	}

	/**
	 * Create an empty histogram.
	 * @return a histogram that grows as needed
	 */
	public static Histogram create() {
		return new Histogram(SIGNIFICANT_DIGITS);
	}

	static String encode(Histogram histogram) {
		ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
		int length = histogram.encodeIntoCompressedByteBuffer(buffer);
		return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
	}

	static Histogram decode(String text) {
		try {
			Histogram histogram = Histogram
				.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
			histogram.setAutoResize(true);
			return histogram;
		}
		catch (DataFormatException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

}
