package io.holdfast.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/**
 * The annotations that count for a method: its own, or else those of its class, or else
 * those of the superclasses and interfaces that have the method.
 *
 * @param annotations the annotations, composed and repeated ones resolved
 * @param place the method or type that they are on
 * @param declaration the method as that type has it: expressions name its parameters
 */
record LockAnnotations(List<DistributedLock> annotations, AnnotatedElement place, Method declaration) {

	/**
	 * Return the methods of a class that have annotations, own and inherited, as their
	 * classes declare them.
	 */
	static Set<Method> methodsIn(Class<?> type) {
		return areIn(type) ? Methods.of(type)
			.map((method) -> Methods.specific(method, type))
			.filter((method) -> of(method, type) != null)
			.collect(Collectors.toCollection(LinkedHashSet::new)) : Set.of();
	}

	/**
	 * Return whether a class, its superclasses or its interfaces have any. Most classes
	 * have none: this finds that out much faster than a search of the hierarchy for each
	 * method.
	 */
	static boolean areIn(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return false;
		}
		return Stream
			.concat(Stream.of(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)),
					Methods.of(type).map(MergedAnnotations::from))
			.anyMatch((annotations) -> annotations.isPresent(DistributedLock.class));
	}

	/**
	 * Return the annotations of a method.
	 * @param method the method, as its class declares it
	 * @param type the class of the objects it is called on
	 * @return the annotations, or {@code null} when there are none
	 * @throws InvalidDistributedLockException when 'key' and 'value' contradict each
	 * other, or it is not clear which annotations count
	 */
	static @Nullable LockAnnotations of(Method method, Class<?> type) {
		if (ReflectionUtils.isObjectMethod(method) || isCopy(method)) {
			return null;
		}
		try {
			LockAnnotations found = new Search(method, type).find();
			return (found == null || found.areOnMethod() || !isLeftOut(method, type)) ? found : null;
		}
		catch (AnnotationConfigurationException ex) {
			throw new InvalidDistributedLockException(method, "key", "is set, and 'value' is set to something else",
					"Set only one of them: they mean the same.", ex);
		}
	}

	/**
	 * Return whether an annotation on a class is not meant for one of its methods: it
	 * creates a bean, is called when locks have been released, or tells the container
	 * whether and how to stop.
	 */
	private static boolean isLeftOut(Method method, Class<?> type) {
		return Methods.isCreation(method, type) || Methods.isDestruction(method, type)
				|| Methods.isOfLifecycle(method, type);
	}

	/**
	 * Return whether a compiler has made a method for its own ends, as Kotlin's does for
	 * an open suspend function: with the annotations of that.
	 */
	private static boolean isCopy(Method method) {
		return method.isSynthetic() && !method.isBridge();
	}

	/**
	 * Return whether the method itself is annotated, here or where it is declared above.
	 */
	boolean areOnMethod() {
		return this.place instanceof Method;
	}

	private Class<?> placeType() {
		return (this.place instanceof Class<?> type) ? type : this.declaration.getDeclaringClass();
	}

	private String placeName() {
		return (this.place instanceof Class<?> type) ? type.getName() : Methods.nameOf(this.declaration);
	}

	private boolean isOverriddenBy(LockAnnotations other) {
		return placeType() != other.placeType() && placeType().isAssignableFrom(other.placeType());
	}

	private record Search(Method method, Class<?> type) {

		@Nullable LockAnnotations find() {
			List<DistributedLock> own = Methods.isImplemented(this.method, this.type) ? on(this.method) : List.of();
			if (!own.isEmpty()) {
				return new LockAnnotations(own, this.method, this.method);
			}
			LockAnnotations found = isMeantByType() ? ofClass(this.type) : null;
			if (found == null && isOverridable()) {
				found = inherited();
			}
			return (found == null && isMeantByType()) ? ofSuperclass() : found;
		}

		private boolean isMeantByType() {
			return Modifier.isPublic(this.method.getModifiers()) && !Modifier.isStatic(this.method.getModifiers());
		}

		private boolean isOverridable() {
			return (this.method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0;
		}

		/**
		 * Return those of a class, or of the nearest superclass that has the method.
		 */
		private @Nullable LockAnnotations ofClass(@Nullable Class<?> owner) {
			if (owner == null || !this.method.getDeclaringClass().isAssignableFrom(owner)) {
				return null;
			}
			List<DistributedLock> found = on(owner);
			return found.isEmpty() ? ofClass(owner.getSuperclass()) : new LockAnnotations(found, owner, this.method);
		}

		/**
		 * Return those of the superclasses and interfaces that have the method. One in a
		 * type overrides those in the types above it.
		 */
		private @Nullable LockAnnotations inherited() {
			Set<Class<?>> supertypes = new LinkedHashSet<>();
			addSupertypes(this.type, supertypes);
			Map<Class<?>, Method> declarations = new LinkedHashMap<>();
			supertypes.forEach((supertype) -> addDeclaration(supertype, declarations));
			List<LockAnnotations> all = new ArrayList<>();
			declarations.values().forEach((declaration) -> add(declaration, declaration, all));
			List<LockAnnotations> ofMethods = List.copyOf(all);
			if (isMeantByType()) {
				supertypes.forEach((supertype) -> addOfType(supertype, declarations, ofMethods, all));
			}
			List<LockAnnotations> counting = all.stream()
				.filter((found) -> all.stream().noneMatch(found::isOverriddenBy))
				.toList();
			counting.forEach((found) -> requireEqual(counting.get(0), found));
			return counting.isEmpty() ? null : counting.get(0);
		}

		private static void addSupertypes(Class<?> type, Set<Class<?>> supertypes) {
			Class<?> superclass = type.getSuperclass();
			Stream.concat(Stream.ofNullable(superclass), Arrays.stream(type.getInterfaces())).forEach((supertype) -> {
				supertypes.add(supertype);
				addSupertypes(supertype, supertypes);
			});
		}

		private void addDeclaration(Class<?> supertype, Map<Class<?>, Method> declarations) {
			Arrays.stream(ReflectionUtils.getDeclaredMethods(supertype))
				.filter(this::isOverridden)
				.findFirst()
				.ifPresent((declaration) -> declarations.put(supertype, declaration));
		}

		private boolean isOverridden(Method candidate) {
			return candidate.getName().equals(this.method.getName())
					&& candidate.getParameterCount() == this.method.getParameterCount() && !candidate.isSynthetic()
					&& (candidate.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0
					&& IntStream.range(0, candidate.getParameterCount())
						.allMatch((i) -> parameter(candidate, i) == parameter(this.method, i));
		}

		private Class<?> parameter(Method declaration, int index) {
			return ResolvableType.forMethodParameter(declaration, index, this.type).toClass();
		}

		/**
		 * Add those of a type that has the method, unless it inherits one that is
		 * annotated itself.
		 */
		private void addOfType(Class<?> supertype, Map<Class<?>, Method> declarations, List<LockAnnotations> ofMethods,
				List<LockAnnotations> all) {
			Method declaration = declarations.get(supertype);
			if (declaration == null && ofMethods.stream().noneMatch((found) -> isAbove(found.placeType(), supertype))) {
				declaration = declarations.values()
					.stream()
					.filter((candidate) -> isAbove(candidate.getDeclaringClass(), supertype))
					.findFirst()
					.orElse(null);
			}
			boolean annotated = ofMethods.stream().anyMatch((found) -> found.placeType() == supertype);
			if (declaration != null && !annotated) {
				add(supertype, declaration, all);
			}
		}

		private static boolean isAbove(Class<?> type, Class<?> other) {
			return type.isAssignableFrom(other);
		}

		private static void add(AnnotatedElement place, Method declaration, List<LockAnnotations> all) {
			List<DistributedLock> found = on(place);
			if (!found.isEmpty()) {
				all.add(new LockAnnotations(found, place, declaration));
			}
		}

		private void requireEqual(LockAnnotations one, LockAnnotations other) {
			if (!one.annotations().equals(other.annotations())) {
				throw new InvalidDistributedLockException(
						"@DistributedLock on %s and on %s differ, and both apply to %s".formatted(one.placeName(),
								other.placeName(), Methods.nameOf(this.method, this.type)),
						"Annotate the method in %s itself, which replaces both, or make them equal."
							.formatted(Methods.userClass(this.type).getName()),
						null);
			}
		}

		/**
		 * Return those of a superclass that does not have the method: they apply to the
		 * methods of its subclasses as well.
		 */
		private @Nullable LockAnnotations ofSuperclass() {
			for (Class<?> owner = this.type; owner != null; owner = owner.getSuperclass()) {
				List<DistributedLock> found = on(owner);
				if (!found.isEmpty()) {
					return new LockAnnotations(found, owner, this.method);
				}
			}
			return null;
		}

		private static List<DistributedLock> on(AnnotatedElement element) {
			return MergedAnnotations.from(element)
				.stream(DistributedLock.class)
				.map(MergedAnnotation::synthesize)
				.toList();
		}

	}

}
