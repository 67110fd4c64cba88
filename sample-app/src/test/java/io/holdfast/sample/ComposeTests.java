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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the files that containers of the sample are made of.
 */
@Tag("any-jdk")
class ComposeTests {

	private static final Path ROOT = Path.of("..");

	private final Map<String, Map<String, Object>> services = at(read("docker-compose.yml"), "services");

	private final Map<String, String> environment = at(this.services, "sample-1", "environment");

	@Test
	void theImageIsBuiltFromTheOneJarOfThisVersion() throws IOException {
		String version = Files.readString(ROOT.resolve("pom.xml")).split("</?version>")[1];
		String jar = "target/holdfast-sample-app-%s.jar".formatted(version);
		assertThat(Files.readAllLines(ROOT.resolve("sample-app/Dockerfile")))
			.contains("COPY %s sample.jar".formatted(jar));
		assertThat(Files.readAllLines(ROOT.resolve("sample-app/.dockerignore"))).containsExactly("*", "!" + jar);
		assertThat(this.services.values()).extracting((service) -> service.get("image").toString())
			.contains("holdfast-sample:" + version)
			.allMatch((image) -> image.matches(".+:v?\\d+\\.\\d+.*"));
	}

	@Test
	void filesThatAreMountedExist() {
		assertThat(all("volumes").map((volume) -> ROOT.resolve(volume.split(":")[0]))).hasSizeGreaterThan(3)
			.allSatisfy((file) -> assertThat(file).isRegularFile());
	}

	@Test
	void portsDoNotCollideAndAreOpenToThisMachineOnly() {
		assertThat(all("ports").toList()).hasSize(4).allMatch((port) -> port.startsWith("127.0.0.1:"));
		assertThat(all("ports").map((port) -> port.split(":")[1])).doesNotHaveDuplicates();
	}

	@Test
	void servicesFindEachOther() {
		assertThat(this.services.get("sample-2")).containsEntry("environment", this.environment);
		assertThat(this.services).containsKeys(this.environment.get("SPRING_DATA_REDIS_HOST"),
				this.environment.get("SPRING_DATASOURCE_URL").split("//|:9092")[1]);
		Map<String, Object> job = at(read("sample-app/docker/prometheus.yml"), "scrape_configs", 0);
		assertThat(job).containsEntry("metrics_path", "/actuator/prometheus");
		assertThat(ComposeTests.<List<String>>at(job, "static_configs", 0, "targets")).containsExactly("sample-1:8080",
				"sample-2:8080");
		assertThat(this.environment).containsEntry("SAMPLE_WEB_HOSTS", "sample-1,sample-2");
		String prometheus = at(read("sample-app/docker/grafana/datasource.yml"), "datasources", 0, "url");
		assertThat(this.services).containsKey(prometheus.split("//|:9090")[1]);
		String dashboards = at(read("sample-app/docker/grafana/dashboards.yml"), "providers", 0, "options", "path");
		assertThat(ComposeTests.<List<String>>at(this.services, "grafana", "volumes"))
			.anyMatch((volume) -> volume.contains(":" + dashboards + "/"));
	}

	private Stream<String> all(String list) {
		return this.services.values()
			.stream()
			.filter((service) -> service.containsKey(list))
			.flatMap((service) -> ComposeTests.<List<String>>at(service, list).stream());
	}

	private static Object read(String file) {
		try {
			return new Yaml().load(Files.readString(ROOT.resolve(file)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return what is in a document at a path of names and indexes.
	 */
	@SuppressWarnings("unchecked")
	private static <T> T at(Object document, Object... path) {
		Object found = document;
		for (Object step : path) {
			found = Objects.requireNonNull(
					(step instanceof Integer index) ? ((List<?>) found).get(index) : ((Map<?, ?>) found).get(step),
					step.toString());
		}
		return (T) found;
	}

}
