package io.holdfast.autoconfigure;

import java.util.function.Supplier;

import io.holdfast.LockTemplate;

import org.springframework.beans.factory.ObjectProvider;

/**
 * What runs annotated methods unless the user has a template, also where a test has
 * replaced the bean with the template.
 */
record AnnotationTemplate(LockTemplate template) {

	// One of the user's that is defined later, or in a child context, counts as well
	static Supplier<LockTemplate> choose(ObjectProvider<AnnotationTemplate> own, ObjectProvider<LockTemplate> users) {
		return () -> {
			AnnotationTemplate template = own.getIfAvailable();
			return (template != null && users.stream().count() == 1) ? template.template() : users.getObject();
		};
	}

}
