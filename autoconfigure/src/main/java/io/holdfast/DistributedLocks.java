package io.holdfast;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Container for repeated {@link DistributedLock} annotations on one element.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DistributedLocks {

	/**
	 * The locks, all of which are held while the method runs.
	 * @return the annotations; their order does not matter
	 */
	DistributedLock[] value();

}
