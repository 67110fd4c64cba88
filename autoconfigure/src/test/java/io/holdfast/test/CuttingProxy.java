package io.holdfast.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Can cut off a reply: the request is carried out, and the client finds its connection
 * closed. It can fall silent on connections that are open, as a firewall does that
 * forgets them. It can lead new connections to another server, as a name does that is
 * given to that one, while those that are open stay so.
 */
public final class CuttingProxy extends TestProxy {

	/**
	 * What is in the request whose reply is to be cut off, then its connection, then
	 * nothing.
	 */
	private final AtomicReference<@Nullable Object> cutting = new AtomicReference<>();

	private final AtomicInteger silences = new AtomicInteger();

	private volatile String countedKey = "";

	private final AtomicInteger swallowed = new AtomicInteger();

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
	 * Cut off the reply to the next request with a key of Redis. Others that ask
	 * meanwhile get theirs, the subscription for wake-ups first of all.
	 * @param key the key
	 */
	public void cutOffReplyAbout(String key) {
		this.cutting.set(key);
	}

	public boolean hasCut() {
		return this.cutting.get() == null;
	}

	/**
	 * Swallow all requests on connections that are open, and count the connections on
	 * which one has a key of Redis.
	 * @param key the key
	 */
	public void fallSilentAbout(String key) {
		this.countedKey = key;
		this.silences.incrementAndGet();
	}

	public int swallowed() {
		return this.swallowed.get();
	}

	@Override
	void request(Socket server, InputStream client) throws IOException {
		int silencesBefore = this.silences.get();
		byte[] buffer = new byte[8192];
		int length = client.read(buffer);
		while (length >= 0) {
			String request = new String(buffer, 0, length, StandardCharsets.UTF_8);
			if (silencesBefore != this.silences.get()) {
				if (request.contains(this.countedKey)) {
					this.swallowed.incrementAndGet();
					client.transferTo(OutputStream.nullOutputStream());
					return;
				}
			}
			else {
				if (this.cutting.get() instanceof String key && request.contains(key)) {
					this.cutting.set(server);
				}
				server.getOutputStream().write(buffer, 0, length);
			}
			length = client.read(buffer);
		}
	}

	@Override
	void reply(Socket server, OutputStream client) throws IOException {
		byte[] buffer = new byte[8192];
		int length = server.getInputStream().read(buffer);
		while (length >= 0 && !this.cutting.compareAndSet(server, null)) {
			client.write(buffer, 0, length);
			length = server.getInputStream().read(buffer);
		}
	}

}
