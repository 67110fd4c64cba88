package io.holdfast.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.ClassUtils;

/**
 * The tables of all properties, made from the metadata that Spring Boot's annotation
 * processor writes.
 */
final class ConfigurationReference {

	private static final Path METADATA = Path.of("target/classes/META-INF/spring-configuration-metadata.json");

	private static final String BEGIN = "<!-- properties -->\n";

	private static final String END = "<!-- end of properties -->\n";

	private static final String HEAD = "| property | value | default | meaning |\n|---|---|---|---|\n";

	/**
	 * The properties that many applications set. All others are for tuning.
	 */
	private static final Set<String> COMMON = Stream
		.of("enabled", "store", "key-prefix", "lease", "wait-for", "auto-renew", "max-hold", "fair", "on-lost",
				"shutdown-grace", "warn-hold", "warn-wait", "redis.connection-factory", "redis.nodes", "redis.quorum")
		.map("holdfast."::concat)
		.collect(Collectors.toUnmodifiableSet());

	private ConfigurationReference() {
	}

	/**
	 * Return a document with the tables as they should be.
	 */
	static String renewed(String document) throws IOException {
		int begin = document.indexOf(BEGIN) + BEGIN.length();
		int end = document.indexOf(END);
		return document.substring(0, begin) + "\n" + tables() + "\n" + document.substring(end);
	}

	/**
	 * Return the values that IDEs offer, by property, each with its explanation.
	 */
	static Map<String, Map<Object, Object>> hints() throws IOException {
		return metadata("hints").stream()
			.filter((hint) -> hint.containsKey("values"))
			.collect(Collectors.toMap(ConfigurationReference::name, (hint) -> maps(hint.get("values")).stream()
				.collect(Collectors.toMap((value) -> value.get("value"), (value) -> value.get("description")))));
	}

	/**
	 * Return the values of each property that has a choice of them.
	 */
	static Map<String, Set<String>> choices() throws IOException {
		return metadata("properties").stream()
			.filter((property) -> name(property).startsWith("holdfast.") && isEnum(type(property)))
			.collect(Collectors.toMap(ConfigurationReference::name,
					(property) -> Set.copyOf(constants(type(property)))));
	}

	private static List<Map<String, Object>> metadata(String part) throws IOException {
		return maps(JsonParserFactory.getJsonParser().parseMap(Files.readString(METADATA)).get(part));
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> maps(@Nullable Object list) {
		return (List<Map<String, Object>>) Objects.requireNonNull(list);
	}

	private static String tables() throws IOException {
		Map<Boolean, String> rows = metadata("properties").stream()
			.filter((property) -> name(property).startsWith("holdfast."))
			.sorted(Comparator.comparing(ConfigurationReference::group).thenComparing(ConfigurationReference::name))
			.collect(Collectors.partitioningBy((property) -> COMMON.contains(name(property)),
					Collectors.mapping(ConfigurationReference::row, Collectors.joining())));
		return "## Common properties\n\n%s%s\n## Tuning properties\n\n%s%s".formatted(HEAD, rows.get(true), HEAD,
				rows.get(false));
	}

	/**
	 * Properties of the whole come before those of a part.
	 */
	private static String group(Map<String, Object> property) {
		String[] parts = name(property).split("\\.");
		return (parts.length > 2) ? parts[1] : "";
	}

	private static String name(Map<String, Object> property) {
		return (String) property.get("name");
	}

	private static String type(Map<String, Object> property) {
		return (String) property.get("type");
	}

	private static String row(Map<String, Object> property) {
		return "| `%s` | %s |%s | %s |\n".formatted(name(property), value(type(property)),
				defaultValue(property.get("defaultValue")), property.get("description"));
	}

	/**
	 * Some parsers take all numbers for fractions.
	 */
	private static String defaultValue(@Nullable Object value) {
		if (value == null) {
			return "";
		}
		return " `%s`".formatted((value instanceof Number number) ? number.longValue() : value);
	}

	private static String value(String type) {
		Class<?> found = classOf(type);
		if (found == null) {
			return "list of text";
		}
		if (found.isEnum()) {
			return constants(type).stream().map("`%s`"::formatted).collect(Collectors.joining(", "));
		}
		if (found == Boolean.class) {
			return "`true`, `false`";
		}
		return (found == Duration.class) ? "duration" : (found == Integer.class) ? "number" : "text";
	}

	private static boolean isEnum(String type) {
		Class<?> found = classOf(type);
		return found != null && found.isEnum();
	}

	private static List<String> constants(String type) {
		return Arrays.stream(Objects.requireNonNull(classOf(type)).getEnumConstants())
			.map((constant) -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT))
			.toList();
	}

	private static @Nullable Class<?> classOf(String type) {
		return type.contains("<") ? null
				: ClassUtils.resolveClassName(type, ConfigurationReference.class.getClassLoader());
	}

}
