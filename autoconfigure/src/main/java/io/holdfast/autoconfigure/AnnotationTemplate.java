package io.holdfast.autoconfigure;

import java.util.function.Supplier;

import io.holdfast.LockTemplate;

import org.springframework.beans.factory.ObjectProvider;

/**
 * The template for annotated methods, unless the user has one. A bean of its own, as a
 * test may replace the LockTemplate bean by a mock.
 */
record AnnotationTemplate(LockTemplate template) {

	// The user's may be defined later, or in a child context
	static Supplier<LockTemplate> choose(ObjectProvider<AnnotationTemplate> own, ObjectProvider<LockTemplate> users) {
		return () -> {
			AnnotationTemplate template = own.getIfAvailable();
			return (template != null && users.stream().count() == 1) ? template.template() : users.getObject();
		};
	}

}
