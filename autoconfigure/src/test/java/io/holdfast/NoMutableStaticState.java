package io.holdfast;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

/**
 * Two application contexts in one JVM are two instances: they must not share anything
 * that changes. What final fields refer to is not looked at: the locks of
 * {@code LocalLocks.ofJvm} and the registries of {@link LockAssert} are shared on
 * purpose.
 */
public class NoMutableStaticState extends ArchCondition<JavaClass> {

	public NoMutableStaticState() {
		super("have only final static fields");
	}

	@Override
	public void check(JavaClass type, ConditionEvents events) {
		type.getFields()
			.stream()
			.filter((field) -> field.getModifiers().contains(JavaModifier.STATIC)
					&& !field.getModifiers().contains(JavaModifier.FINAL)
					&& !field.getModifiers().contains(JavaModifier.SYNTHETIC))
			.forEach((field) -> events.add(SimpleConditionEvent.violated(field, field.getFullName() + " can change")));
	}

}
