package io.holdfast.faults.shutdown;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Asks a web application.
 *
 * @param client does so
 * @param port where it is
 */
record Browser(HttpClient client, int port) {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	Browser(String port) {
		this(HttpClient.newHttpClient(), Integer.parseInt(port));
	}

	/**
	 * Ask for a page.
	 * @return its status and text
	 */
	CompletableFuture<String> get(String path) {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path))
			.timeout(LIMIT)
			.build();
		return this.client.sendAsync(request, HttpResponse.BodyHandlers.ofString())
			.thenApply((response) -> response.statusCode() + " " + response.body());
	}

}
