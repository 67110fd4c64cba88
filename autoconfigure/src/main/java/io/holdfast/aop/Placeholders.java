package io.holdfast.aop;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringValueResolver;

/**
 * Resolves placeholders in annotations. Not in the build of an application that is
 * processed ahead of time: there, a duration with a placeholder counts as not set.
 *
 * @param values knows what stands for placeholders
 */
record Placeholders(StringValueResolver values) implements StringValueResolver {

	@Override
	public @Nullable String resolveStringValue(String text) {
		return (AheadOfTime.isUnderWay() && hasPlaceholder(text)) ? "" : this.values.resolveStringValue(text);
	}

	private static boolean hasPlaceholder(String text) {
		return text.contains("${") || text.contains("#{");
	}

}
