package io.holdfast.aop;

import org.jspecify.annotations.Nullable;

import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.util.StringValueResolver;

/**
 * Resolves placeholders in annotations. Not while an application is processed ahead of
 * time: what stands for them may be known only where it will run, and is asked for there.
 *
 * @param values knows what stands for placeholders
 */
record Placeholders(StringValueResolver values) implements StringValueResolver {

	@Override
	public @Nullable String resolveStringValue(String text) {
		return (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING) && hasPlaceholder(text)) ? ""
				: this.values.resolveStringValue(text);
	}

	private static boolean hasPlaceholder(String text) {
		return text.contains("${") || text.contains("#{");
	}

}
