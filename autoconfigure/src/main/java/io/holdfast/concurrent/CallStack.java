package io.holdfast.concurrent;

/**
 * The stack of the calling thread. What must not be left half done asks beforehand
 * whether there is room for all of it: where the stack ends, it had better end there.
 *
 * @since 0.1.0
 */
public final class CallStack {

	/**
	 * How many calls need a kilobyte, at least: the parameters of each take a quarter of
	 * one, and what the compiler makes of them as much.
	 */
	private static final int CALLS = 2;

	private CallStack() {
	}

	/**
	 * Do nothing, but with so much of the stack.
	 * @param kilobytes how much of it what follows may need, on the safe side: code that
	 * is not compiled yet needs several times as much as later on
	 * @throws StackOverflowError when there is not as much left
	 */
	public static void ensureRoom(int kilobytes) {
		call(kilobytes * CALLS, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
				0, 0, 0);
	}

	/**
	 * So many parameters lie on the stack, and nothing is done with them: few calls use
	 * much of it in little time.
	 */
	private static long call(int calls, long a1, long b1, long c1, long d1, long a2, long b2, long c2, long d2, long a3,
			long b3, long c3, long d3, long a4, long b4, long c4, long d4, long a5, long b5, long c5, long d5, long a6,
			long b6, long c6, long d6, long a7, long b7, long c7, long d7, long a8, long b8, long c8, long d8) {
		return (calls > 0) ? call(calls - 1, a1, b1, c1, d1, a2, b2, c2, d2, a3, b3, c3, d3, a4, b4, c4, d4, a5, b5, c5,
				d5, a6, b6, c6, d6, a7, b7, c7, d7, a8, b8, c8, d8) : d8;
	}

}
