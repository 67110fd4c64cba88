package io.holdfast;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Starts a method at most once in each interval, in all instances together: for methods
 * that a scheduler calls in each of them. Other calls are skipped: they return an empty
 * result, as {@link OnFailure#SKIP} describes it.
 *
 * <pre class="code">
 * &#64;Scheduled(cron = "0 0 * * * *")
 * &#64;RunOnce(per = "1h")
 * public void bill() {
 * 	...
 * }
 * </pre>
 *
 * <p>
 * The annotation is a {@link DistributedLock} whose key stays taken for the interval,
 * counted from the start by the clock of the store, however the method ends: a run that
 * fails is not repeated in its interval. A run that takes longer keeps the lock until it
 * ends. If its instance dies, the key stays taken for the interval as well.
 *
 * <p>
 * The interval may be that of the method's {@code @Scheduled}. Two runs of a schedule are
 * never exactly as far apart as they should be, so the key becomes free before the next
 * one is due: by 10 % of the time between them, at most a minute. If the schedule's
 * interval is shorter than {@link #per()}, runs are skipped.
 *
 * <p>
 * If the store does not answer, the method does not run, and a line in the log says so:
 * it is not known then whether another instance has started it.
 *
 * <p>
 * An annotation that is itself annotated with this one works as well, and may set more
 * attributes of {@link DistributedLock}. A method has this annotation or
 * {@code DistributedLock}, not both.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(waitFor = "0", onFailure = OnFailure.SKIP, onUnavailable = OnFailure.SKIP)
public @interface RunOnce {

	/**
	 * The interval.
	 * @return a duration such as {@code 1h}, {@code PT1H} or a
	 * <code>${placeholder}</code>
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "minHold")
	String per();

	/**
	 * Fixed name of low cardinality, as {@link DistributedLock#name()}. Without a
	 * {@link #key()}, it is the key.
	 * @return the name; if there is no key either, the name of the class and the method
	 * is the key: {@code com.example.Invoices.bill}
	 */
	@AliasFor(annotation = DistributedLock.class)
	String name() default "";

	/**
	 * SpEL expression for what is to start once, as {@link DistributedLock#key()}: for
	 * example once for each tenant.
	 * @return the key expression; empty for {@link #name()}
	 */
	@AliasFor(annotation = DistributedLock.class)
	@SpelExpression
	String key() default "";

}
