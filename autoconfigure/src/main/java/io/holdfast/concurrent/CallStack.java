package io.holdfast.concurrent;

/**
 * The stack of the calling thread. What must not be left half done asks beforehand
 * whether there is room for all of it: where the stack ends, it had better end there.
 *
 * @since 0.1.0
 */
public final class CallStack {

	private CallStack() {
	}

	/**
	 * Do nothing, but with so much of the stack.
	 * @param kilobytes how much of it what follows may need, on the safe side: code that
	 * is not compiled yet needs several times as much as later on
	 * @throws StackOverflowError when there is not as much left
	 */
	public static void ensureRoom(int kilobytes) {
		call(kilobytes * callsInKilobyte(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
				0, 0, 0, 0, 0, 0, 0);
	}

	/**
	 * Return how many calls need a kilobyte, at least: the parameters of each take a
	 * quarter of one. JDK 17 needs as much again, since its optimizing compiler leaves a
	 * call with so many of them alone; that of JDK 25 does not.
	 */
	private static int callsInKilobyte() {
		return (Runtime.version().feature() == 17) ? 2 : 4;
	}

	/**
	 * So many parameters lie on the stack: few calls use much of it in little time. What
	 * is done with them is more code than the compiler copies into the caller: several
	 * calls would share one part of the stack.
	 */
	private static long call(int calls, long a1, long b1, long c1, long d1, long a2, long b2, long c2, long d2, long a3,
			long b3, long c3, long d3, long a4, long b4, long c4, long d4, long a5, long b5, long c5, long d5, long a6,
			long b6, long c6, long d6, long a7, long b7, long c7, long d7, long a8, long b8, long c8, long d8) {
		return (calls > 0) ? call(calls - 1, ((a1 << 1) + 1) ^ 5, ((b1 << 1) + 1) ^ 5, ((c1 << 1) + 1) ^ 5,
				((d1 << 1) + 1) ^ 5, ((a2 << 1) + 1) ^ 5, ((b2 << 1) + 1) ^ 5, ((c2 << 1) + 1) ^ 5, ((d2 << 1) + 1) ^ 5,
				((a3 << 1) + 1) ^ 5, ((b3 << 1) + 1) ^ 5, ((c3 << 1) + 1) ^ 5, ((d3 << 1) + 1) ^ 5, ((a4 << 1) + 1) ^ 5,
				((b4 << 1) + 1) ^ 5, ((c4 << 1) + 1) ^ 5, ((d4 << 1) + 1) ^ 5, ((a5 << 1) + 1) ^ 5, ((b5 << 1) + 1) ^ 5,
				((c5 << 1) + 1) ^ 5, ((d5 << 1) + 1) ^ 5, ((a6 << 1) + 1) ^ 5, ((b6 << 1) + 1) ^ 5, ((c6 << 1) + 1) ^ 5,
				((d6 << 1) + 1) ^ 5, ((a7 << 1) + 1) ^ 5, ((b7 << 1) + 1) ^ 5, ((c7 << 1) + 1) ^ 5, ((d7 << 1) + 1) ^ 5,
				((a8 << 1) + 1) ^ 5, ((b8 << 1) + 1) ^ 5, ((c8 << 1) + 1) ^ 5, ((d8 << 1) + 1) ^ 5) : d8;
	}

}
