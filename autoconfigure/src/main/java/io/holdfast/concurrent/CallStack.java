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
		call(kilobytes, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
				0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	}

	/**
	 * Use a kilobyte for each call. So many parameters lie on the stack, interpreted or
	 * compiled, and the optimizing compilers of JDK 17 and 25, which might have several
	 * calls share one frame, leave a call with so many of them alone.
	 */
	private static long call(int calls, long a1, long b1, long c1, long d1, long e1, long f1, long g1, long h1, long a2,
			long b2, long c2, long d2, long e2, long f2, long g2, long h2, long a3, long b3, long c3, long d3, long e3,
			long f3, long g3, long h3, long a4, long b4, long c4, long d4, long e4, long f4, long g4, long h4, long a5,
			long b5, long c5, long d5, long e5, long f5, long g5, long h5, long a6, long b6, long c6, long d6, long e6,
			long f6, long g6, long h6, long a7, long b7, long c7, long d7, long e7, long f7, long g7, long h7, long a8,
			long b8, long c8, long d8, long e8, long f8, long g8, long h8) {
		return (calls > 0) ? call(calls - 1, b1, c1, d1, e1, f1, g1, h1, a2, b2, c2, d2, e2, f2, g2, h2, a3, b3, c3, d3,
				e3, f3, g3, h3, a4, b4, c4, d4, e4, f4, g4, h4, a5, b5, c5, d5, e5, f5, g5, h5, a6, b6, c6, d6, e6, f6,
				g6, h6, a7, b7, c7, d7, e7, f7, g7, h7, a8, b8, c8, d8, e8, f8, g8, h8, a1) : h8;
	}

}
