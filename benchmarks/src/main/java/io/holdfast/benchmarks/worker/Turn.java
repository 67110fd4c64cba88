package io.holdfast.benchmarks.worker;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * One time that a worker had the lock, as {@link System#nanoTime()} has it.
 *
 * @param asked when it asked for the lock
 * @param acquired when it had it
 * @param released when it called release
 */
public record Turn(long asked, long acquired, long released) {

	private static final int BYTES = 3 * Long.BYTES;

	static String encode(List<Turn> turns) {
		ByteBuffer buffer = ByteBuffer.allocate(turns.size() * BYTES);
		turns.forEach((turn) -> buffer.putLong(turn.asked).putLong(turn.acquired).putLong(turn.released));
		return Base64.getEncoder().encodeToString(buffer.array());
	}

	static List<Turn> decode(String text) {
		ByteBuffer buffer = ByteBuffer.wrap(Base64.getDecoder().decode(text));
		List<Turn> turns = new ArrayList<>();
		while (buffer.hasRemaining()) {
			turns.add(new Turn(buffer.getLong(), buffer.getLong(), buffer.getLong()));
		}
		return turns;
	}

}
