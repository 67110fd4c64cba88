package io.holdfast.benchmarks.worker;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A number in a file that all workers have in memory, counted up without any
 * synchronisation: two that do so at the same time lose one. It is how a lock that does
 * not exclude is found out.
 */
public final class SharedCounter {

	private final MappedByteBuffer memory;

	private SharedCounter(MappedByteBuffer memory) {
		this.memory = memory;
	}

	/**
	 * Create a file for a counter.
	 * @return the file
	 * @throws IOException when it cannot be created
	 */
	public static Path createFile() throws IOException {
		return Files.write(Files.createTempFile("holdfast-benchmarks", ".counter"), new byte[Long.BYTES]);
	}

	/**
	 * Open a counter.
	 * @param file where it is
	 * @return the counter
	 * @throws IOException when it cannot be opened
	 */
	public static SharedCounter open(Path file) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			return new SharedCounter(channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES));
		}
	}

	void increment() {
		this.memory.putLong(0, this.memory.getLong(0) + 1);
	}

	/**
	 * Return how often it was counted up, if nobody was in the way of another.
	 * @return the number
	 */
	public long get() {
		return this.memory.getLong(0);
	}

}
