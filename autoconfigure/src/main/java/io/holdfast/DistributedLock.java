package io.holdfast;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method under a distributed lock: the lock is acquired before the method starts,
 * renewed while it runs, and released when it ends, normally or with an exception. On a
 * type, the annotation applies to each public method that is not static and has no such
 * annotation itself. It can also be on interfaces and their methods, and on annotations
 * that are composed of it. The annotation of a method replaces that of its class, and
 * this replaces those of the superclasses and interfaces that have the method.
 *
 * <p>
 * The lock is outside transactions and caches: a transaction commits before the lock is
 * released. A proxy does not intercept calls from within the same object. An annotation
 * on a method that no proxy can intercept stops the application at startup: the method is
 * private, static or final, in a class that cannot be extended, or, with interface-based
 * proxies, not declared in an interface. (On a type, it does not apply to final methods
 * that come from a superclass without the annotation.) It also stops on an annotation of
 * a method that the container calls on the object itself, such as {@code @PostConstruct}
 * or {@code SmartLifecycle.stop()}, or when locks have been released, such as
 * {@code @PreDestroy}, and of one that creates a bean. With
 * {@code holdfast.aspect.mode=aspectj}, the lock is woven into the method, and all calls
 * are intercepted. The annotation, or one that is directly composed of it, must then be
 * on the method or its class, and the method neither static nor a suspend function.
 *
 * <pre class="code">
 * &#64;DistributedLock(key = "#order.id", lease = "30s", waitFor = "5s")
 * public void ship(Order order) {
 * 	...
 * }
 * </pre>
 *
 * <p>
 * One call acquires one lock, which may be for several keys, all or nothing: a second
 * annotation that applies to the same call and differs stops the application at startup.
 *
 * <p>
 * Durations are written as {@code 30s}, {@code PT30S} or a <code>${placeholder}</code>. A
 * number without a unit is refused, except {@code 0} and {@code -1}. Annotations are
 * checked when their bean is created, for most beans at startup. An expression, duration
 * or number that cannot be parsed, an unknown parameter in an expression, durations that
 * contradict each other and a fallback that does not fit are refused. The exception names
 * class, method and attribute, and says what to change.
 *
 * <p>
 * A method that returns a {@link java.util.concurrent.CompletionStage} keeps its lock
 * until the stage completes; one that returns a publisher, or another reactive type that
 * Spring knows, acquires it at each subscription and keeps it until the subscription
 * ends. Waiting blocks no thread. The lock belongs to the call, not to a thread: it is
 * not reentrant. All failures are reported through the returned object. Once the lock is
 * held, the method is called on another thread, which it may block; that thread has
 * neither the transaction nor other thread-bound context of the caller, but the
 * {@code Context} of a subscriber. If the caller cancels or completes the future before
 * the method has started, the method is not called. An {@code @Async} method is locked on
 * the thread that runs it, until its future is done. Any other
 * {@link java.util.concurrent.Future} is refused at startup.
 *
 * @since 0.1.0
 * @see LockTemplate
 * @see RunOnce
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DistributedLock {

	/**
	 * Alias for {@link #key()}.
	 * @return the key expression
	 */
	@AliasFor("key")
	@SpelExpression
	String value() default "";

	/**
	 * SpEL expression for the key to lock. It can use the method's parameters by name
	 * ({@code #order.id}) or by position ({@code #p0}, {@code #a0}), the call
	 * ({@code #root.method}, {@code #root.target}, {@code #root.targetClass},
	 * {@code #root.args}) and beans ({@code @tenants.current()}). A literal needs quotes:
	 * {@code "'orders'"}. Parameters have names only in classes that are compiled with
	 * {@code -parameters}. A collection or an array locks all of its elements or none;
	 * duplicates count once. If there is no key, more than {@link LockRequest#MOST_KEYS},
	 * or one that is {@code null}, blank or an object that does not override
	 * {@code toString()}, the call throws an {@link IllegalArgumentException}.
	 * @return the key expression; may be empty when there is a {@link #name()}, which is
	 * then the whole key
	 */
	@AliasFor("value")
	@SpelExpression
	String key() default "";

	/**
	 * Fixed name of low cardinality, not an expression. It prefixes the key
	 * ({@code name:key}), tags metrics, and tells listeners which kind of lock it is.
	 * Without a key, it is the key, and the lock has no name. A name that looks like an
	 * expression ({@code #id}) or a placeholder is refused at startup.
	 * @return the name, or an empty string for none
	 */
	String name() default "";

	/**
	 * Time after which the lock expires unless its holder renews it.
	 * @return a duration; empty for {@code holdfast.lease}
	 */
	String lease() default "";

	/**
	 * Longest time to wait for the lock. (Java does not allow an annotation element named
	 * {@code wait}.)
	 * @return a duration; {@code 0} for one try, {@code -1} for no limit, empty for
	 * {@code holdfast.wait-for}
	 */
	String waitFor() default "";

	/**
	 * Whether the lease is renewed while the method runs. Without renewal the lease is a
	 * hard limit. A value other than the default {@code true} overrides
	 * {@code holdfast.auto-renew}.
	 * @return whether to renew
	 */
	boolean autoRenew() default true;

	/**
	 * Shortest time for which the key stays locked, counted from the grant, even if the
	 * method is faster: a scheduler that starts late still finds it locked. Until then no
	 * caller gets the lock, not even this thread. Must not be longer than
	 * {@link #maxHold()}, or than a lease that is not renewed.
	 * @return a duration; empty for none
	 * @see LockRequest#minHold(Duration)
	 */
	String minHold() default "";

	/**
	 * Time after which the lease is no longer renewed, counted from the grant.
	 * @return a duration; empty for {@code holdfast.max-hold}
	 */
	String maxHold() default "";

	/**
	 * Whether the lock is exclusive, or shared with other {@code SHARED} holders. A
	 * holder of the shared lock that requests the exclusive lock of the same key gets a
	 * {@link LockUpgradeException} at once.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * How many holders there may be at a time, in all instances: a semaphore whose
	 * permits expire unless they are renewed. The lock is {@link LockMode#SHARED} then,
	 * whatever {@link #mode()} says.
	 * @return the greatest number of holders; 0 for no limit other than that of the mode
	 * @see LockRequest#permits(int)
	 */
	int permits() default 0;

	/**
	 * The same as {@link #permits()}, as a text that can be a
	 * <code>${placeholder}</code>. Cannot be set together with {@code permits}.
	 * @return a number that is at least 1; empty for {@link #permits()}
	 */
	String permitsString() default "";

	/**
	 * Whether callers get the lock in the order in which they asked. For one key.
	 * @return {@code true} for that order; {@code false} for {@code holdfast.fair}
	 */
	boolean fair() default false;

	/**
	 * SpEL expression that says whether the lock is needed; it can use the same names as
	 * {@link #key()}. If it is {@code false}, the method runs without the lock.
	 * @return a boolean expression; empty for always
	 */
	@SpelExpression
	String condition() default "";

	/**
	 * What to do if the lock is not acquired in time. A {@link LockInterruptedException},
	 * a {@link LockUpgradeException}, and a {@link LockNotAcquiredException} that the
	 * method itself throws are always thrown.
	 * @return the reaction; {@link OnFailure#SKIP} cannot be combined with a
	 * {@link #fallback()}
	 */
	OnFailure onFailure() default OnFailure.THROW;

	/**
	 * What to do if the lock is unavailable, because the store (Redis, or a database)
	 * does not answer or the application is shutting down. A
	 * {@link LockUnavailableException} that the method itself throws is always thrown.
	 * @return the reaction; a {@link #fallback() fallback} that takes a
	 * {@link LockException} comes before {@link OnFailure#SKIP}
	 */
	OnFailure onUnavailable() default OnFailure.THROW;

	/**
	 * Name of a method to call instead if the lock is not acquired in time. It belongs to
	 * the class of the called object, or to one of its superclasses, and may be private
	 * or static. It takes the same parameters, optionally followed by a
	 * {@link LockNotAcquiredException}; if both exist, the one with the exception is
	 * called. One that takes a {@link LockException} instead is also called if the lock
	 * is unavailable. Its return type must fit; its result is ignored if the method
	 * returns nothing. It runs without the lock, and annotations on it have no effect, as
	 * with any method that is called from within the object. The caller gets its
	 * exceptions unchanged.
	 *
	 * <p>
	 * On a type, the fallback must fit each method that the annotation applies to, and
	 * must not be public itself.
	 * @return a method name; empty for none
	 */
	String fallback() default "";

}
