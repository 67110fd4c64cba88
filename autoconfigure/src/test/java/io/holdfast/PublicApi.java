package io.holdfast;

import java.util.Set;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.holdfast.actuate.DefaultLockObservationConvention;
import io.holdfast.actuate.LockObservationContext;
import io.holdfast.actuate.LockObservationConvention;
import io.holdfast.integration.IntegrationLock;
import io.holdfast.integration.IntegrationLockRegistry;
import io.holdfast.shedlock.HoldfastLockProvider;

/**
 * What users may rely on from release to release, as {@code docs/compatibility.md} and
 * the profile {@code japicmp} in the topmost {@code pom.xml} list it.
 */
final class PublicApi extends DescribedPredicate<JavaClass> {

	static final Set<Class<?>> EXTENSION_POINTS = Set.of(DefaultLockObservationConvention.class,
			LockObservationContext.class, LockObservationConvention.class, IntegrationLock.class,
			IntegrationLockRegistry.class, HoldfastLockProvider.class);

	private static final Set<Class<?>> OWN_TOOLS = Set.of(LaterWork.class, LogText.class);

	PublicApi() {
		super("are public API");
	}

	@Override
	public boolean test(JavaClass type) {
		JavaClass enclosing = type.getEnclosingClass().orElse(null);
		boolean listed = type.getPackageName().equals("io.holdfast")
				? OWN_TOOLS.stream().noneMatch(type::isEquivalentTo)
				: EXTENSION_POINTS.stream().anyMatch(type::isEquivalentTo);
		return isVisible(type.getModifiers()) && ((enclosing != null) ? test(enclosing) : listed);
	}

	private static boolean isVisible(Set<JavaModifier> modifiers) {
		return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
	}

	/**
	 * Otherwise a change of what is not public would be one of the API.
	 */
	ArchCondition<JavaClass> beNamedAloneInSignatures() {
		return new ArchCondition<>("name no other type of ours in their signatures") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				signature(type).map(JavaClass::getBaseComponentType)
					.filter((other) -> other.getName().startsWith("io.holdfast.") && !PublicApi.this.test(other))
					.forEach((other) -> events.add(SimpleConditionEvent.violated(type,
							"%s names %s, which is not public API".formatted(type.getName(), other.getName()))));
			}

		};
	}

	private static Stream<JavaClass> signature(JavaClass type) {
		Stream<JavaType> above = Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
		Stream<JavaType> bounds = type.getTypeParameters().stream().flatMap((one) -> one.getUpperBounds().stream());
		Stream<JavaMember> members = type.getMembers().stream().filter((member) -> isVisible(member.getModifiers()));
		return Stream.concat(Stream.concat(above, bounds).flatMap((one) -> one.getAllInvolvedRawTypes().stream()),
				members.flatMap(PublicApi::signature));
	}

	private static Stream<JavaClass> signature(JavaMember member) {
		Stream<JavaClass> types = member.getAllInvolvedRawTypes().stream();
		return (member instanceof JavaCodeUnit unit) ? Stream.concat(types, unit.getExceptionTypes().stream()) : types;
	}

}
