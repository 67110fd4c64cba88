package io.holdfast.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Stands before a server. It can cut off a reply: the request is carried out, and the
 * client finds its connection closed. It can lead new connections to another server, as a
 * name does that is given to that one, while those that are open stay so.
 */
public final class CuttingProxy implements AutoCloseable {

	private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

	private static final int BACKLOG = 50;

	private final ServerSocket listening;

	private volatile int target;

	private final AtomicBoolean cuts = new AtomicBoolean();

	private final Set<Socket> open = ConcurrentHashMap.newKeySet();

	/**
	 * Start a proxy.
	 * @param target port of the server
	 */
	public CuttingProxy(int target) {
		this.target = target;
		try {
			this.listening = new ServerSocket(0, BACKLOG, LOOPBACK);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	public int port() {
		return this.listening.getLocalPort();
	}

	/**
	 * Cut off what the server says next, on any connection.
	 */
	public void cutOffNextReply() {
		this.cuts.set(true);
	}

	/**
	 * Lead new connections to another server.
	 * @param port port of the server
	 */
	public void leadTo(int port) {
		this.target = port;
	}

	/**
	 * Return whether the reply that was to be cut off has been.
	 */
	public boolean hasCut() {
		return !this.cuts.get();
	}

	private static void start(Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// A connection has ended, or the proxy
			}
		}, "cutting-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	private void accept() throws IOException {
		while (!this.listening.isClosed()) {
			Socket client = this.listening.accept();
			start(() -> serve(client));
		}
	}

	private void serve(Socket client) throws IOException {
		this.open.add(client);
		try (client; Socket server = new Socket(LOOPBACK, this.target)) {
			start(() -> {
				try (client; server) {
					reply(server.getInputStream(), client.getOutputStream());
				}
			});
			client.getInputStream().transferTo(server.getOutputStream());
		}
		finally {
			this.open.remove(client);
		}
	}

	private void reply(InputStream server, OutputStream client) throws IOException {
		byte[] buffer = new byte[8192];
		int length = server.read(buffer);
		while (length >= 0 && !this.cuts.getAndSet(false)) {
			client.write(buffer, 0, length);
			length = server.read(buffer);
		}
	}

	@Override
	public void close() {
		try {
			this.listening.close();
			for (Socket socket : this.open) {
				socket.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@FunctionalInterface
	private interface Task {

		void run() throws IOException;

	}

}
