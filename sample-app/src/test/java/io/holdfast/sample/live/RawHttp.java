package io.holdfast.sample.live;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Requests as they stand, with headers that no client would let a test set.
 */
final class RawHttp {

	private RawHttp() {
	}

	/**
	 * Ask on a connection of its own.
	 * @return the whole answer
	 */
	static String ask(int port, String request, String host, String... headers) throws IOException {
		try (Socket socket = connect(port)) {
			send(socket, request, host, headers);
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	static Socket connect(int port) throws IOException {
		Socket socket = new Socket();
		// Small, so that little is under way to whoever does not read
		socket.setReceiveBufferSize(4096);
		socket.setSoTimeout(20_000);
		socket.connect(new InetSocketAddress("127.0.0.1", port));
		return socket;
	}

	static void send(Socket socket, String request, String host, String... headers) throws IOException {
		List<String> more = List.of(headers);
		String lines = request + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n"
				+ String.join("", more.stream().map((header) -> header + "\r\n").toList()) + "\r\n";
		socket.getOutputStream().write(lines.getBytes(StandardCharsets.US_ASCII));
	}

}
