package io.holdfast.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/**
 * Stands before a server that knows no TLS: what comes in encrypted is passed on as plain
 * text.
 */
public final class TlsProxy implements AutoCloseable {

	private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

	private static final int BACKLOG = 50;

	private final SSLServerSocket listening;

	private final int target;

	private final AtomicInteger handshakes = new AtomicInteger();

	private final Set<Integer> sources = ConcurrentHashMap.newKeySet();

	private final Set<Socket> open = ConcurrentHashMap.newKeySet();

	/**
	 * Start a proxy.
	 * @param port where it listens
	 * @param target port of the server
	 * @param certificates where its certificate is
	 * @param name name of its certificate
	 * @param clients certificates of clients, one of which a client must have; none for
	 * all clients
	 */
	public TlsProxy(int port, int target, Certificates certificates, String name, String... clients)
			throws IOException, GeneralSecurityException {
		this.target = target;
		this.listening = (SSLServerSocket) certificates.server(name, clients)
			.getServerSocketFactory()
			.createServerSocket(port, BACKLOG, LOOPBACK);
		this.listening.setNeedClientAuth(clients.length > 0);
		start("tls-accept", this::accept);
	}

	public int port() {
		return this.listening.getLocalPort();
	}

	/**
	 * Return how many clients there have been whom the certificate pleased.
	 */
	public int handshakes() {
		return this.handshakes.get();
	}

	/**
	 * Return whether a client of the server is the proxy.
	 * @param port the client's port
	 */
	public boolean isSource(int port) {
		return this.sources.contains(port);
	}

	private static void start(String name, Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// A connection has ended, or the proxy
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
	}

	private void accept() throws IOException {
		while (!this.listening.isClosed()) {
			SSLSocket client = (SSLSocket) this.listening.accept();
			start("tls-client", () -> serve(client));
		}
	}

	private void serve(SSLSocket client) throws IOException {
		this.open.add(client);
		try (client) {
			client.startHandshake();
			this.handshakes.incrementAndGet();
			try (Socket server = new Socket(LOOPBACK, this.target)) {
				this.sources.add(server.getLocalPort());
				start("tls-back", () -> {
					try (client; server) {
						server.getInputStream().transferTo(client.getOutputStream());
					}
				});
				client.getInputStream().transferTo(server.getOutputStream());
			}
		}
		finally {
			this.open.remove(client);
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
