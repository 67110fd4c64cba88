package io.holdfast.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Can cut off a reply: the request is carried out, and the client finds its connection
 * closed. It can lead new connections to another server, as a name does that is given to
 * that one, while those that are open stay so.
 */
public final class CuttingProxy extends TestProxy {

	private final AtomicBoolean cuts = new AtomicBoolean();

	/**
	 * Start a proxy.
	 * @param target port of the server
	 */
	public CuttingProxy(int target) {
		super(listen(), target);
		serve();
	}

	private static ServerSocket listen() {
		try {
			return new ServerSocket(0, BACKLOG, LOOPBACK);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Cut off what the server says next, on any connection.
	 */
	public void cutOffNextReply() {
		this.cuts.set(true);
	}

	/**
	 * Return whether the reply that was to be cut off has been.
	 */
	public boolean hasCut() {
		return !this.cuts.get();
	}

	@Override
	void reply(InputStream server, OutputStream client) throws IOException {
		byte[] buffer = new byte[8192];
		int length = server.read(buffer);
		while (length >= 0 && !this.cuts.getAndSet(false)) {
			client.write(buffer, 0, length);
			length = server.read(buffer);
		}
	}

}
