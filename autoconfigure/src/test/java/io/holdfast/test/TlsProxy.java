package io.holdfast.test;

import java.io.IOException;
import java.net.ServerSocket;
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
public final class TlsProxy extends TestProxy {

	private final AtomicInteger handshakes = new AtomicInteger();

	private final Set<Integer> sources = ConcurrentHashMap.newKeySet();

	public TlsProxy(int port, int target, Certificates certificates, String name, String... clients)
			throws IOException, GeneralSecurityException {
		super(listen(port, certificates, name, clients), target);
		serve();
	}

	private static ServerSocket listen(int port, Certificates certificates, String name, String... clients)
			throws IOException, GeneralSecurityException {
		SSLServerSocket listening = (SSLServerSocket) certificates.server(name, clients)
			.getServerSocketFactory()
			.createServerSocket(port, BACKLOG, LOOPBACK);
		listening.setNeedClientAuth(clients.length > 0);
		return listening;
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

	@Override
	void greet(Socket client) throws IOException {
		((SSLSocket) client).startHandshake();
		this.handshakes.incrementAndGet();
	}

	@Override
	void connected(Socket server) {
		this.sources.add(server.getLocalPort());
	}

}
