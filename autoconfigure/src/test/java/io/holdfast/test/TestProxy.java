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

/**
 * Stands before a server, and passes on what clients and server say.
 */
public abstract class TestProxy implements AutoCloseable {

	static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

	static final int BACKLOG = 50;

	private final ServerSocket listening;

	private final Thread accepting = thread(this::accept);

	private final Set<Socket> open = ConcurrentHashMap.newKeySet();

	private volatile int target;

	TestProxy(ServerSocket listening, int target) {
		this.listening = listening;
		this.target = target;
	}

	/**
	 * Begin to accept clients: the last thing that a constructor does.
	 */
	final void serve() {
		this.accepting.start();
	}

	public final int port() {
		return this.listening.getLocalPort();
	}

	public final void leadTo(int port) {
		this.target = port;
	}

	private static Thread thread(Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// A connection has ended, or the proxy
			}
		}, "test-proxy");
		thread.setDaemon(true);
		return thread;
	}

	private void accept() throws IOException {
		while (!this.listening.isClosed()) {
			Socket client = this.listening.accept();
			thread(() -> serve(client)).start();
		}
	}

	private void serve(Socket client) throws IOException {
		this.open.add(client);
		try (client) {
			if (this.listening.isClosed()) {
				return; // accepted just before, it may not have been seen to be open
			}
			greet(client);
			try (Socket server = new Socket(LOOPBACK, this.target)) {
				connected(server);
				thread(() -> {
					try (client; server) {
						reply(server, client.getOutputStream());
					}
				}).start();
				request(server, client.getInputStream());
			}
		}
		finally {
			this.open.remove(client);
		}
	}

	void greet(Socket client) throws IOException {
	}

	void connected(Socket server) {
	}

	void request(Socket server, InputStream client) throws IOException {
		client.transferTo(server.getOutputStream());
	}

	void reply(Socket server, OutputStream client) throws IOException {
		server.getInputStream().transferTo(client);
	}

	/**
	 * End all connections. The port is free then, which it is not while a thread still
	 * leaves its call to accept a client.
	 */
	@Override
	public final void close() {
		try {
			this.listening.close();
			this.accepting.join();
			for (Socket socket : this.open) {
				socket.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@FunctionalInterface
	private interface Task {

		void run() throws IOException;

	}

}
