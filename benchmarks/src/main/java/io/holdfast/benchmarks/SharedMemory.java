package io.holdfast.benchmarks;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What holders of the one key write down for the next, in a file that all workers have in
 * memory, without any synchronisation: two that count at the same time lose one, which is
 * how a lock that does not exclude is found out.
 */
final class SharedMemory {

	private static final int COUNT = 0;

	private static final int HOLDER = Long.BYTES;

	private static final int RELEASED = 2 * Long.BYTES;

	private final MappedByteBuffer memory;

	SharedMemory(Path file) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			this.memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, 3 * Long.BYTES);
		}
	}

	long count() {
		return this.memory.getLong(COUNT);
	}

	void increment() {
		this.memory.putLong(COUNT, count() + 1);
	}

	/**
	 * Return the worker that has released last, from 1, or 0 when none has.
	 */
	long lastHolder() {
		return this.memory.getLong(HOLDER);
	}

	long lastRelease() {
		return this.memory.getLong(RELEASED);
	}

	void release(long holder, long time) {
		this.memory.putLong(HOLDER, holder);
		this.memory.putLong(RELEASED, time);
	}

}
