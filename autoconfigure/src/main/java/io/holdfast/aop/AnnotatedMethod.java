package io.holdfast.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
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
 * A method, and the annotation that counts for it: its own, or else that of its class, or
 * else that of the superclasses, and of the interfaces that have the method.
 *
 * @param declaration the method as the place of the annotation has it: expressions name
 * its parameters
 */
record AnnotatedMethod(Method method, Class<?> type, DistributedLock annotation, AnnotatedElement place,
		Method declaration) {

	private static final Map<Class<?>, List<AnnotatedMethod>> cache = new ConcurrentReferenceHashMap<>();

	static List<AnnotatedMethod> in(Class<?> type) {
		List<AnnotatedMethod> known = cache.get(type);
		if (known == null) {
			known = existIn(type) ? Methods.of(type)
				.map((method) -> Methods.specific(method, type))
				.distinct()
				.map((method) -> of(method, type))
				.filter(Objects::nonNull)
				.toList() : List.of();
			cache.put(type, known);
		}
		return known;
	}

	// Most classes have none, and this is much faster than a search for each method
	static boolean existIn(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, DistributedLock.class) && Stream
			.concat(Stream.of(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)),
					Methods.of(type).map(MergedAnnotations::from))
			.anyMatch((annotations) -> annotations.isPresent(DistributedLock.class));
	}

	static @Nullable AnnotatedMethod of(Method method, Class<?> type) {
		if (ReflectionUtils.isObjectMethod(method) || isCopy(method)) {
			return null;
		}
		try {
			AnnotatedMethod found = new Search(method, type).find();
			return (found == null || found.isOnMethod() || !isLeftOut(method, type)) ? found : null;
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

	boolean isRunOnce() {
		return MergedAnnotations.from(this.place).isPresent(RunOnce.class);
	}

	boolean isOnMethod() {
		return this.place instanceof Method;
	}

	private Class<?> placeType() {
		return (this.place instanceof Class<?> placeType) ? placeType : this.declaration.getDeclaringClass();
	}

	private String placeName() {
		return (this.place instanceof Class<?> placeType) ? placeType.getName() : Methods.nameOf(this.declaration);
	}

	private boolean isOverriddenBy(AnnotatedMethod other) {
		return placeType() != other.placeType() && placeType().isAssignableFrom(other.placeType());
	}

	private record Search(Method method, Class<?> type) {

		@Nullable AnnotatedMethod find() {
			AnnotatedMethod own = Methods.isImplemented(this.method, this.type) ? on(this.method, this.method) : null;
			if (own != null || (this.method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) != 0) {
				return own;
			}
			AnnotatedMethod onClass = onClasses(this.type);
			if (onClass != null) {
				return onClass;
			}
			List<AnnotatedMethod> inherited = nearest(this.type);
			inherited.forEach((other) -> requireEqual(inherited.get(0), other));
			return inherited.isEmpty() ? null : inherited.get(0);
		}

		private @Nullable AnnotatedMethod onClasses(@Nullable Class<?> owner) {
			if (owner == null || !this.method.getDeclaringClass().isAssignableFrom(owner)) {
				return null;
			}
			AnnotatedMethod found = onType(owner);
			return (found != null) ? found : onClasses(owner.getSuperclass());
		}

		// The annotation of a type does not count for an annotated method that it only
		// inherits
		private List<AnnotatedMethod> nearest(Class<?> owner) {
			Method own = declared(owner);
			AnnotatedMethod found = (own != null) ? on(own, own) : null;
			List<AnnotatedMethod> inherited = inherited(owner);
			if (found == null && (own != null || inherited.stream().noneMatch(AnnotatedMethod::isOnMethod))) {
				found = onType(owner);
			}
			return (found != null) ? List.of(found) : inherited;
		}

		private List<AnnotatedMethod> inherited(Class<?> owner) {
			List<AnnotatedMethod> all = supertypes(owner).flatMap((supertype) -> nearest(supertype).stream()).toList();
			return all.stream().filter((found) -> all.stream().noneMatch(found::isOverriddenBy)).toList();
		}

		// The annotation of a class counts also for methods that only its subclasses
		// have
		private @Nullable AnnotatedMethod onType(Class<?> owner) {
			Method declaration = declaredOrInherited(owner).findFirst()
				.orElse(owner.isInterface() ? null : this.method);
			return (declaration != null && Modifier.isPublic(this.method.getModifiers())) ? on(owner, declaration)
					: null;
		}

		private Stream<Method> declaredOrInherited(Class<?> owner) {
			return Stream.concat(Stream.ofNullable(declared(owner)),
					supertypes(owner).flatMap(this::declaredOrInherited));
		}

		private static Stream<Class<?>> supertypes(Class<?> type) {
			return Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()));
		}

		// Spring adds the default methods of interfaces
		private @Nullable Method declared(Class<?> owner) {
			return Arrays.stream(ReflectionUtils.getDeclaredMethods(owner))
				.filter((candidate) -> candidate.getDeclaringClass() == owner && isOverridden(candidate))
				.findFirst()
				.orElse(null);
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

		private void requireEqual(AnnotatedMethod one, AnnotatedMethod other) {
			if (!one.annotation().equals(other.annotation())) {
				throw new InvalidDistributedLockException(
						"@DistributedLock on %s and on %s differ, and both apply to %s".formatted(one.placeName(),
								other.placeName(), Methods.nameOf(this.method, this.type)),
						"Annotate the method in %s itself, which replaces both, or make them equal."
							.formatted(Methods.userClass(this.type).getName()),
						null);
			}
		}

		private @Nullable AnnotatedMethod on(AnnotatedElement place, Method declaration) {
			List<DistributedLock> found = MergedAnnotations.from(place)
				.stream(DistributedLock.class)
				.map(MergedAnnotation::synthesize)
				.distinct()
				.toList();
			if (found.isEmpty()) {
				return null;
			}
			AnnotatedMethod first = new AnnotatedMethod(this.method, this.type, found.get(0), place, declaration);
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
