package io.holdfast.aop;

import java.lang.reflect.Method;

import io.holdfast.DistributedLock;
import io.holdfast.RunOnce;
import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup for a {@link DistributedLock} annotation that cannot work.
 *
 * @since 0.1.0
 */
public class InvalidDistributedLockException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String action;

	InvalidDistributedLockException(Method method, String attribute, String problem, String action,
			@Nullable Throwable cause) {
		this("The attribute '%s' of %s %s".formatted(attribute, annotationOn(method), problem), action, cause);
	}

	/**
	 * Create an exception.
	 * @param method the method that the annotation is about
	 * @param problem what is wrong, as the end of a sentence about the annotation
	 * @param action a sentence that says what to do about it
	 */
	public InvalidDistributedLockException(Method method, String problem, String action) {
		this("%s %s".formatted(annotationOn(method), problem), action, null);
	}

	/**
	 * Create an exception.
	 * @param description what is wrong
	 * @param action a sentence that says what to do about it
	 * @param cause what it was found by, if anything
	 */
	public InvalidDistributedLockException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	private static String annotationOn(Method method) {
		boolean once = Methods.isAnnotated(method, RunOnce.class.getName());
		return "@%s on %s".formatted((once ? RunOnce.class : DistributedLock.class).getSimpleName(),
				Methods.nameOf(method));
	}

	/**
	 * Return what to do about it.
	 * @return a sentence
	 */
	public String getAction() {
		return this.action;
	}

}
