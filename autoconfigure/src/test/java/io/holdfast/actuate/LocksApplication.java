package io.holdfast.actuate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.holdfast.LockLostEvent;
import io.holdfast.LockTemplate;
import io.holdfast.engine.HoldfastLockRegistry;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

/**
 * An application with the endpoint on a port of its own, and a client of it.
 */
public final class LocksApplication implements AutoCloseable {

	/**
	 * Longer than any answer takes on a busy machine.
	 */
	private static final Duration LIMIT = Duration.ofMinutes(1);

	private final HttpClient client = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private LocksApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Start an application that may change locks by the endpoint.
	 */
	public static LocksApplication start(String name, String... properties) {
		List<String> all = new ArrayList<>(List.of("management.endpoint.locks.access=unrestricted"));
		all.addAll(List.of(properties));
		return startAsIs(name, all.toArray(String[]::new));
	}

	/**
	 * Start an application with the endpoint as it is by default, but exposed.
	 */
	static LocksApplication startAsIs(String name, String... properties) {
		return new LocksApplication(new SpringApplicationBuilder(Application.class).web(WebApplicationType.SERVLET)
			.properties("server.port=0", "holdfast.wait-for=30s", "spring.main.banner-mode=off",
					"spring.datasource.generate-unique-name=true", "spring.data.redis.client-type=jedis",
					"management.endpoints.web.exposure.include=locks", "spring.application.name=" + name)
			.run(Stream.of(properties).map((property) -> "--" + property).toArray(String[]::new)));
	}

	ConfigurableApplicationContext context() {
		return this.context;
	}

	public HoldfastLockRegistry registry() {
		return this.context.getBean(HoldfastLockRegistry.class);
	}

	public LockTemplate template() {
		return this.context.getBean(LockTemplate.class);
	}

	List<LockLostEvent> losses() {
		return this.context.getBean(Losses.class).told;
	}

	public String id() {
		return registry().status().instanceId();
	}

	/**
	 * Ask the endpoint, once more if the machine is busy: it does not wait for long.
	 * @param path what stands behind its own path
	 */
	public Answer get(String path) {
		Answer answer = getOnce(path);
		return (answer.status() != 503) ? answer : getOnce(path);
	}

	public Answer getOnce(String path) {
		return send(request("locks" + path).GET());
	}

	/**
	 * Ask any endpoint.
	 * @param path what stands behind the path that all have
	 */
	public Answer getOther(String path) {
		return send(request(path).GET());
	}

	/**
	 * Release by force, once more if the machine is busy.
	 */
	public Answer delete(String path) {
		Answer answer = deleteOnce(path);
		return (answer.status() != 503) ? answer : deleteOnce(path);
	}

	public Answer deleteOnce(String path) {
		return send(request("locks" + path).DELETE());
	}

	private HttpRequest.Builder request(String path) {
		String port = this.context.getEnvironment().getRequiredProperty("local.server.port");
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator/" + path)).timeout(LIMIT);
	}

	private Answer send(HttpRequest.Builder request) {
		try {
			HttpResponse<String> response = this.client.send(request.build(), BodyHandlers.ofString());
			return new Answer(response.statusCode(), response.body());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.context.close();
	}

	public record Answer(int status, String body) {

		public Map<?, ?> json() {
			return JsonMapper.shared().readValue(this.body, Map.class);
		}

		public List<?> locks() {
			return (List<?>) json().get("locks");
		}

		public List<Object> keys() {
			return locks().stream().<Object>map((lock) -> ((Map<?, ?>) lock).get("key")).toList();
		}

		/**
		 * Return the one lock with a key out of several.
		 */
		Map<?, ?> lock(String key) {
			return locks().stream()
				.<Map<?, ?>>map((lock) -> (Map<?, ?>) lock)
				.filter((lock) -> lock.get("key").equals(key))
				.findFirst()
				.orElse(Map.of());
		}

	}

	static class Losses {

		private final List<LockLostEvent> told = new CopyOnWriteArrayList<>();

		@EventListener
		void lost(LockLostEvent event) {
			this.told.add(event);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Losses.class)
	static class Application {

	}

}
