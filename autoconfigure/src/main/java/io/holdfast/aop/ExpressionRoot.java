package io.holdfast.aop;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;

/**
 * What the root object of an expression has: the call.
 *
 * @param site where the expression stands
 */
record ExpressionRoot(ExpressionSite site) {

	private static final List<String> PROPERTIES = Arrays.stream(LockCall.class.getRecordComponents())
		.map(RecordComponent::getName)
		.toList();

	/**
	 * Require a property that is named with {@code #root} before it.
	 */
	void requireProperty(String name) {
		if (!has(name)) {
			throw this.site.refused(name, "which #root does not have",
					"Use what it has: %s.".formatted(String.join(", ", PROPERTIES)));
		}
	}

	/**
	 * Require a property that is named by a bare word: most likely something was
	 * forgotten.
	 */
	void requireBareWord(String word) {
		if (!has(word)) {
			throw this.site.refused(word, "which is neither a parameter nor a literal as it stands",
					"Put a literal in quotes (\"'%s'\"), and a hash before a parameter (\"#%s\")."
						.formatted(literal(word), word));
		}
	}

	void requireMethod(String name, int arguments) {
		boolean known = Arrays.stream(LockCall.class.getMethods())
			.anyMatch((candidate) -> candidate.getName().equals(name) && candidate.getParameterCount() == arguments);
		if (!known) {
			throw this.site.refused(name + "(...)", "which is called on nothing",
					"Say on what to call it: a parameter (\"#order.%1$s()\"), a bean (\"@orders.%1$s()\") or the object with the method (\"#root.target.%1$s()\")."
						.formatted(name));
		}
	}

	private static boolean has(String name) {
		return PROPERTIES.contains(name) || name.equals("class");
	}

	/**
	 * The whole text, if it can have been meant as a literal.
	 */
	private String literal(String word) {
		String text = this.site.text().trim();
		return text.chars().noneMatch((c) -> "'\"#@()".indexOf(c) >= 0) ? text : word;
	}

}
