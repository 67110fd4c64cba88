package io.holdfast.engine.simulation.check;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Finds collections that are not empty, in all that can be reached from an object of
 * ours.
 */
final class Residue {

	/**
	 * What stays: executors of servers, and who listens.
	 */
	private static final Set<String> USUAL = Set.of("StoreThreads.", "EngineSettings.", "Listeners.calls");

	private static final Map<Class<?>, List<Field>> FIELDS = new ConcurrentHashMap<>();

	private final Map<Object, Object> seen = new IdentityHashMap<>();

	private final List<String> found = new ArrayList<>();

	/**
	 * Return the collections that are not empty, each with its path and content.
	 */
	List<String> of(Object root) {
		walk(root);
		return this.found;
	}

	private void walk(@Nullable Object object) {
		if (object == null || !isOfAnEngine(object.getClass().getName()) || object instanceof Enum
				|| this.seen.put(object, object) != null) {
			return;
		}
		for (Field field : FIELDS.computeIfAbsent(object.getClass(), Residue::fields)) {
			look(field.getDeclaringClass().getSimpleName() + "." + field.getName(), value(field, object));
		}
	}

	private static boolean isOfAnEngine(String type) {
		return type.startsWith("io.holdfast.engine.") && !type.contains(".simulation.");
	}

	private void look(String name, @Nullable Object value) {
		if (USUAL.stream().anyMatch(name::startsWith)) {
			return;
		}
		Collection<?> content = (value instanceof Map<?, ?> map) ? map.entrySet()
				: (value instanceof Collection<?> collection) ? collection : List.of();
		if (!content.isEmpty()) {
			this.found.add(name + " = " + content);
		}
		walk(value);
	}

	private static List<Field> fields(Class<?> type) {
		List<Field> fields = Stream.<Class<?>>iterate(type, (t) -> t != null && t != Object.class, Class::getSuperclass)
			.flatMap((t) -> Arrays.stream(t.getDeclaredFields()))
			.filter((field) -> !Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive())
			.toList();
		fields.forEach((field) -> field.setAccessible(true));
		return fields;
	}

	private static @Nullable Object value(Field field, Object object) {
		try {
			return field.get(object);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
