package io.holdfast.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.RunOnce;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.ReflectionUtils;

/**
 * The annotation that counts for a method: its own, or else that of its class, or else
 * that of the superclasses and interfaces that have the method.
 *
 * @param declaration the method as the place of the annotations has it: expressions name
 * its parameters
 */
record LockAnnotations(Method method, Class<?> type, DistributedLock annotation, AnnotatedElement place,
		Method declaration) {

	private static final Map<Class<?>, List<LockAnnotations>> cache = new ConcurrentReferenceHashMap<>();

	static List<LockAnnotations> in(Class<?> type) {
		List<LockAnnotations> known = cache.get(type);
		if (known == null) {
			known = areIn(type) ? Methods.of(type)
				.map((method) -> Methods.specific(method, type))
				.distinct()
				.map((method) -> of(method, type))
				.filter(Objects::nonNull)
				.toList() : List.of();
			cache.put(type, known);
		}
		return known;
	}

	// Most classes have none: this finds that out much faster than a search of the
	// hierarchy for each method
	static boolean areIn(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, DistributedLock.class) && Stream
			.concat(Stream.of(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)),
					Methods.of(type).map(MergedAnnotations::from))
			.anyMatch((annotations) -> annotations.isPresent(DistributedLock.class));
	}

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

	// An annotation on a class is not meant for the methods that create a bean, are
	// called when locks have been released, or tell the container whether and how to stop
	private static boolean isLeftOut(Method method, Class<?> type) {
		return Methods.isCreation(method, type) || Methods.isDestruction(method, type)
				|| Methods.isOfLifecycle(method, type);
	}

	// Kotlin's compiler copies an open suspend function, with its annotations
	private static boolean isCopy(Method method) {
		return method.isSynthetic() && !method.isBridge();
	}

	boolean areRunOnce() {
		return MergedAnnotations.from(this.place).isPresent(RunOnce.class);
	}

	boolean areOnMethod() {
		return this.place instanceof Method;
	}

	private Class<?> placeType() {
		return (this.place instanceof Class<?> placeType) ? placeType : this.declaration.getDeclaringClass();
	}

	private String placeName() {
		return (this.place instanceof Class<?> placeType) ? placeType.getName() : Methods.nameOf(this.declaration);
	}

	private boolean isOverriddenBy(LockAnnotations other) {
		return placeType() != other.placeType() && placeType().isAssignableFrom(other.placeType());
	}

	private record Search(Method method, Class<?> type) {

		@Nullable LockAnnotations find() {
			LockAnnotations found = Methods.isImplemented(this.method, this.type) ? on(this.method, this.method) : null;
			if (found == null && isMeantByType()) {
				found = ofClass(this.type);
			}
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

		private @Nullable LockAnnotations ofClass(@Nullable Class<?> owner) {
			if (owner == null || !this.method.getDeclaringClass().isAssignableFrom(owner)) {
				return null;
			}
			LockAnnotations found = on(owner, this.method);
			return (found != null) ? found : ofClass(owner.getSuperclass());
		}

		private @Nullable LockAnnotations inherited() {
			Set<Class<?>> supertypes = new LinkedHashSet<>();
			addSupertypes(this.type, supertypes);
			Map<Class<?>, Method> declarations = new LinkedHashMap<>();
			supertypes.forEach((supertype) -> addDeclaration(supertype, declarations));
			List<LockAnnotations> ofMethods = declarations.values()
				.stream()
				.map((declaration) -> on(declaration, declaration))
				.filter(Objects::nonNull)
				.toList();
			Stream<LockAnnotations> ofTypes = isMeantByType() ? supertypes.stream()
				.map((supertype) -> ofType(supertype, declarations, ofMethods))
				.filter(Objects::nonNull) : Stream.of();
			List<LockAnnotations> all = Stream.concat(ofMethods.stream(), ofTypes).toList();
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

		// Not where the type has or inherits a method that is annotated itself
		private @Nullable LockAnnotations ofType(Class<?> supertype, Map<Class<?>, Method> declarations,
				List<LockAnnotations> ofMethods) {
			Method own = declarations.get(supertype);
			if (ofMethods.stream()
				.map(LockAnnotations::placeType)
				.anyMatch((place) -> (own != null) ? place == supertype : isAbove(place, supertype))) {
				return null;
			}
			return Stream.concat(Stream.ofNullable(own), declarations.values().stream())
				.filter((declaration) -> isAbove(declaration.getDeclaringClass(), supertype))
				.findFirst()
				.map((declaration) -> on(supertype, declaration))
				.orElse(null);
		}

		private static boolean isAbove(Class<?> type, Class<?> other) {
			return type.isAssignableFrom(other);
		}

		private void requireEqual(LockAnnotations one, LockAnnotations other) {
			if (!one.annotation().equals(other.annotation())) {
				throw new InvalidDistributedLockException(
						"@DistributedLock on %s and on %s differ, and both apply to %s".formatted(one.placeName(),
								other.placeName(), Methods.nameOf(this.method, this.type)),
						"Annotate the method in %s itself, which replaces both, or make them equal."
							.formatted(Methods.userClass(this.type).getName()),
						null);
			}
		}

		// Those of a superclass that does not have the method apply to the methods of its
		// subclasses as well
		private @Nullable LockAnnotations ofSuperclass() {
			return Stream.<Class<?>>iterate(this.type, Objects::nonNull, Class::getSuperclass)
				.map((owner) -> on(owner, this.method))
				.filter(Objects::nonNull)
				.findFirst()
				.orElse(null);
		}

		private @Nullable LockAnnotations on(AnnotatedElement place, Method declaration) {
			List<DistributedLock> found = MergedAnnotations.from(place)
				.stream(DistributedLock.class)
				.map(MergedAnnotation::synthesize)
				.distinct()
				.toList();
			if (found.isEmpty()) {
				return null;
			}
			LockAnnotations first = new LockAnnotations(this.method, this.type, found.get(0), place, declaration);
			if (found.size() > 1) {
				throw new InvalidDistributedLockException(
						"Several annotations for a lock apply to %s and differ: all are on %s"
							.formatted(Methods.nameOf(this.method, this.type), first.placeName()),
						"Keep one of them. One lock can be for several keys, as in key = \"{#from, #to}\"; what else is to be"
								+ " locked goes to a method of another bean, or to LockTemplate.",
						null);
			}
			return first;
		}

	}

}
