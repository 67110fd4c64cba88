package io.holdfast.aop;

import java.lang.reflect.Method;

import io.holdfast.DistributedLock;
import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup for a {@link DistributedLock} annotation that cannot work.
 *
 * @since 0.1.0
 */
public class InvalidDistributedLockException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String description;

	private final String action;

	InvalidDistributedLockException(Method method, String attribute, String problem, String action,
			@Nullable Throwable cause) {
		super(describe(method, attribute, problem), cause);
		this.description = describe(method, attribute, problem);
		this.action = action;
	}

	private static String describe(Method method, String attribute, String problem) {
		return "The attribute '%s' of @DistributedLock on %s %s".formatted(attribute, MethodNames.of(method), problem);
	}

	/**
	 * Return what is wrong, and where.
	 * @return a sentence that names class, method and attribute
	 */
	public String getDescription() {
		return this.description;
	}

	/**
	 * Return what to do about it.
	 * @return a sentence
	 */
	public String getAction() {
		return this.action;
	}

}
