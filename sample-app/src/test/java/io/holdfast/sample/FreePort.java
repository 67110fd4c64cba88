package io.holdfast.sample;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Finds ports for tests: below those that systems give to outgoing connections (from
 * 32,768 on), one of which could take a port before the test does, above those of the
 * tests of other modules, and different ones in tests that run in parallel. The forks of
 * all modules that are tested at the same time are numbered together.
 */
public final class FreePort {

	private static final AtomicInteger NEXT = new AtomicInteger(
			30_000 + 250 * (Integer.getInteger("holdfast.test.fork", 1) % 11));

	private FreePort() {
	}

	public static int find() {
		while (true) {
			int port = NEXT.getAndIncrement();
			try (ServerSocket socket = new ServerSocket(port)) {
				return socket.getLocalPort();
			}
			catch (IOException ex) {
				// In use: try the next one
			}
		}
	}

}
