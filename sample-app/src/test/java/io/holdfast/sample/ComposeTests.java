package io.holdfast.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the files that containers of the sample are made of.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.datasource.url=jdbc:h2:mem:compose",
				"management.prometheus.metrics.export.enabled=true" })
@Tag("any-jdk")
class ComposeTests {

	private static final Path ROOT = Path.of("..");

	private final Map<String, Map<String, Object>> services = map(read("docker-compose.yml"), "services");

	@LocalServerPort
	private int port;

	@DynamicPropertySource
	static void ownRedis(DynamicPropertyRegistry registry) {
		int redisPort = FreePort.find();
		registry.add("sample.redis-port", () -> redisPort);
	}

	@Test
	void imagesHaveAVersion() throws IOException {
		Stream<String> bases = Files.readAllLines(ROOT.resolve("sample-app/Dockerfile"))
			.stream()
			.filter((line) -> line.startsWith("FROM "))
			.map((line) -> line.split(" ")[1]);
		Stream<String> images = this.services.values().stream().map((service) -> service.get("image").toString());
		assertThat(Stream.concat(bases, images)).hasSizeGreaterThan(5)
			.allSatisfy((image) -> assertThat(image).matches(".+:v?\\d+\\.\\d+.*"));
	}

	@Test
	void theImageIsBuiltFromTheOneJarOfThisVersion() throws IOException {
		String version = Files.readString(ROOT.resolve("pom.xml")).split("</?version>")[1];
		String jar = "target/holdfast-sample-app-%s.jar".formatted(version);
		assertThat(Files.readAllLines(ROOT.resolve("sample-app/Dockerfile")))
			.contains("COPY %s sample.jar".formatted(jar));
		assertThat(Files.readAllLines(ROOT.resolve("sample-app/.dockerignore"))).containsExactly("*", "!" + jar);
		assertThat(imagesOfOurs()).containsOnly("holdfast-sample:" + version);
	}

	@Test
	void filesThatAreMountedExist() {
		List<Path> mounted = all("volumes").map((volume) -> ROOT.resolve(volume.split(":")[0])).toList();
		assertThat(mounted).hasSizeGreaterThan(3).allSatisfy((file) -> assertThat(file).isRegularFile());
		assertThat(this.services.values().stream().filter((service) -> service.containsKey("build")))
			.allSatisfy((service) -> assertThat(ROOT.resolve(service.get("build").toString()).resolve("Dockerfile"))
				.isRegularFile());
	}

	@Test
	void portsDoNotCollideAndAreOpenToThisMachineOnly() {
		assertThat(all("ports").toList()).hasSize(4).allMatch((port) -> port.startsWith("127.0.0.1:"));
		assertThat(all("ports").map((port) -> port.split(":")[1])).doesNotHaveDuplicates();
	}

	@Test
	void servicesFindEachOther() {
		Map<String, String> environment = map(this.services.get("sample-1"), "environment");
		assertThat(this.services.get("sample-2")).containsEntry("environment", environment);
		assertThat(this.services).containsKeys(environment.get("SPRING_DATA_REDIS_HOST"),
				environment.get("SPRING_DATASOURCE_URL").split("//|:9092")[1]);
	}

	@Test
	void instancesAreScrapedWhereTheyTellTheirMetrics() {
		Map<String, Object> job = first(read("sample-app/docker/prometheus.yml"), "scrape_configs");
		List<String> targets = list(first(job, "static_configs"), "targets");
		assertThat(targets).containsExactly("sample-1:8080", "sample-2:8080");
		assertThat(targets).allSatisfy((target) -> assertThat(list(this.services.get(target.split(":")[0]), "ports"))
			.allMatch((port) -> port.toString().endsWith(":8080")));
		Map<String, String> environment = map(this.services.get("sample-1"), "environment");
		assertThat(environment.get("SAMPLE_WEB_HOSTS").split(","))
			.containsExactlyElementsOf(targets.stream().map((target) -> target.split(":")[0]).toList());
		RestTestClient.bindToServer()
			.baseUrl("http://localhost:" + this.port)
			.build()
			.get()
			.uri(job.get("metrics_path").toString())
			.exchangeSuccessfully()
			.expectBody(String.class)
			.value((metrics) -> assertThat(metrics).contains("jvm_threads_live_threads"));
	}

	@Test
	void grafanaFindsPrometheusAndTheDashboard() {
		Map<String, Object> source = first(read("sample-app/docker/grafana/datasource.yml"), "datasources");
		assertThat(this.services).containsKey(source.get("url").toString().split("//|:9090")[1]);
		Map<String, Object> provider = first(read("sample-app/docker/grafana/dashboards.yml"), "providers");
		Map<String, Object> options = map(provider, "options");
		assertThat(list(this.services.get("grafana"), "volumes"))
			.anyMatch((volume) -> volume.toString().contains(":" + options.get("path") + "/"));
	}

	private Stream<String> imagesOfOurs() {
		return this.services.values()
			.stream()
			.map((service) -> service.get("image").toString())
			.filter((image) -> image.startsWith("holdfast-"));
	}

	private Stream<String> all(String list) {
		return this.services.values()
			.stream()
			.filter((service) -> service.containsKey(list))
			.flatMap((service) -> ComposeTests.<String>list(service, list).stream());
	}

	private static Map<String, Object> read(String file) {
		try {
			return new Yaml().load(Files.readString(ROOT.resolve(file)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@SuppressWarnings("unchecked")
	private static <V> Map<String, V> map(Map<String, Object> parent, String name) {
		return (Map<String, V>) Objects.requireNonNull(parent.get(name), name);
	}

	@SuppressWarnings("unchecked")
	private static <E> List<E> list(Map<String, Object> parent, String name) {
		return (List<E>) Objects.requireNonNull(parent.get(name), name);
	}

	private static Map<String, Object> first(Map<String, Object> parent, String name) {
		return ComposeTests.<Map<String, Object>>list(parent, name).get(0);
	}

}
