package io.holdfast.engine.simulation;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * Finds collections that are not empty, in all that can be reached from an object of the
 * engine: what would use up the memory of an application that runs for long.
 */
final class Residue {

	/**
	 * What stays: executors of servers, and who listens.
	 */
	private static final Set<String> USUAL = Set.of("StoreThreads.", "EngineSettings.", "Listeners.calls");

	private final Map<Object, Object> seen = new IdentityHashMap<>();

	private final List<String> found = new ArrayList<>();

	List<String> of(Object root) {
		walk(root);
		return this.found;
	}

	private void walk(@Nullable Object object) {
		if (object != null && object.getClass().getPackageName().equals("io.holdfast.engine")
				&& !(object instanceof Enum) && this.seen.put(object, object) == null) {
			ReflectionUtils.doWithFields(object.getClass(), (field) -> {
				ReflectionUtils.makeAccessible(field);
				look(field.getDeclaringClass().getSimpleName() + "." + field.getName(), field.get(object));
			}, (field) -> !Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive());
		}
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

}
