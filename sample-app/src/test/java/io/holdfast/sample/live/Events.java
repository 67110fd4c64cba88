package io.holdfast.sample.live;

import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The events that a page would hear.
 */
final class Events {

	static final Duration LIMIT = Duration.ofMinutes(1);

	private final List<String> lines = new CopyOnWriteArrayList<>();

	private Events(int port) {
		URI uri = URI.create("http://localhost:%d/api/events".formatted(port));
		HttpClient.newHttpClient()
			.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofLines())
			.thenAcceptAsync((response) -> {
				assertThat(response.headers().firstValue(HttpHeaders.CONTENT_TYPE))
					.hasValue(MediaType.TEXT_EVENT_STREAM_VALUE);
				collect(response.body());
			});
	}

	static Events of(int port) {
		Events events = new Events(port);
		events.await("hold", "\"key\":\"demo:lamp\"");
		events.await("locks", "\"instance\"");
		return events;
	}

	private void collect(Stream<String> body) {
		try (body) {
			body.forEach(this.lines::add);
		}
		catch (UncheckedIOException ex) {
			// Cut off: as good an end as any
			this.lines.add("cut off: " + ex.getMessage());
		}
	}

	/**
	 * Wait for an event with all of these in its content.
	 * @return the content
	 */
	String await(String event, String... parts) {
		return Awaitility.await(event + " with " + List.of(parts))
			.atMost(LIMIT)
			.until(() -> find(event, parts), (found) -> !found.isEmpty());
	}

	private String find(String event, String... parts) {
		for (int i = 1; i < this.lines.size(); i++) {
			String data = this.lines.get(i);
			if (this.lines.get(i - 1).equals("event:" + event) && Stream.of(parts).allMatch(data::contains)) {
				return data;
			}
		}
		return "";
	}

	/**
	 * Return the content of the event of that name that was heard last.
	 */
	String last(String event) {
		int i = this.lines.lastIndexOf("event:" + event);
		return (i + 1 < this.lines.size()) ? this.lines.get(i + 1) : "";
	}

	/**
	 * Return the contents of all events of that name.
	 */
	List<String> all(String event) {
		return IntStream.range(1, this.lines.size())
			.filter((i) -> this.lines.get(i - 1).equals("event:" + event))
			.mapToObj(this.lines::get)
			.toList();
	}

}
