package io.holdfast;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method under a distributed lock: the lock is acquired before the method starts,
 * renewed while it runs and released when it has ended, however it ended. On a type, the
 * annotation stands for each of its public methods that is not static and has none of its
 * own. It may stand on interfaces and their methods, and on annotations that are composed
 * of it.
 *
 * <p>
 * The lock is taken outside transactions and caches, so that a transaction commits before
 * the lock is released. As with every Spring annotation that works through a proxy, a
 * call from within the same object is not seen; nor would be a method that is private,
 * static or final, or that belongs to a class that cannot be extended, or, where beans
 * are proxied by their interfaces, to none of these. Such an annotation stops the
 * application at startup. (On a type, it is not meant for final methods that come from a
 * superclass without the annotation.) With {@code holdfast.aspect.mode=aspectj} the lock
 * is in the method itself, and all of its calls are seen; then the annotation, or one
 * that is directly composed of it, has to be on the method or its class, and the method
 * neither static nor a suspend function of Kotlin.
 *
 * <pre class="code">
 * &#64;DistributedLock(key = "#order.id", lease = "30s", waitFor = "5s")
 * public void ship(Order order) {
 * 	...
 * }
 * </pre>
 *
 * <p>
 * Repeated on one element, all of the locks are held while the method runs, or none of
 * them and the method does not run. Those that differ only in key and condition are
 * acquired together. Others are acquired one inside the other, in the order of their lock
 * keys wherever they stand, and released in reverse. Keys of one annotation that are not
 * neighbours in this order are acquired one after the other: until the last one is there,
 * others may see some of them taken. A key that is wanted both exclusive and shared is
 * acquired exclusive first. The annotations of a method replace all of its type's.
 *
 * <p>
 * However they are acquired, the locks of a call are as one. The wait for each begins
 * with the call: when its turn comes, it is waited for until {@link #waitFor()} of its
 * own annotation is over, counted from there, with one try at the least. When one of them
 * is lost, the others are released as soon as that is noticed, and the call ends as with
 * one lock; when it was lost while the others were waited for, the method does not run,
 * whatever {@code holdfast.on-lost} says. When one of them is not acquired in time, those
 * that are held already are released first; then {@link #onFailure()} and
 * {@link #fallback()} of the annotation decide whose lock it was.
 *
 * <p>
 * Durations are written as {@code 30s}, {@code PT30S} or a <code>${placeholder}</code>. A
 * number without a unit is refused, except {@code 0} and {@code -1}. Annotations are
 * checked when their bean is created, which for most is at startup: an expression or a
 * duration that cannot be read, a name in an expression that is not there, times that
 * contradict each other, a fallback that does not fit. What is wrong is told with class,
 * method and attribute, and with what to do.
 *
 * <p>
 * A method that returns a {@link java.util.concurrent.CompletionStage} keeps its locks
 * until that completes; one that returns a publisher, or another reactive type that
 * Spring knows, takes them at each subscription and keeps them until that has ended. No
 * thread waits for the locks, which belong to the call and not to a thread: they are not
 * reentrant. All trouble is told through what the method returns. Once the locks are
 * held, the method is called on another thread, which it may block; there it finds
 * neither the transaction nor other thread-bound context of its caller, but the
 * {@code Context} of a subscriber. A caller that cancels, or completes the future in
 * another way, before the method has started does without the call. An {@code @Async}
 * method is locked on the thread that runs it, until its future is done. Any other
 * {@link java.util.concurrent.Future} is refused at startup.
 *
 * @since 0.1.0
 * @see LockTemplate
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

	/**
	 * Alias for {@link #key()}.
	 * @return the key expression
	 */
	@AliasFor("key")
	String value() default "";

	/**
	 * SpEL expression for the key to lock. It sees the method's parameters by name
	 * ({@code #order.id}) and by position ({@code #p0}, {@code #a0}), the call itself
	 * ({@code #root.method}, {@code #root.target}, {@code #root.targetClass},
	 * {@code #root.args}) and beans ({@code @tenants.current()}). A literal wants quotes:
	 * {@code "'orders'"}. Parameters have names only in classes that are compiled with
	 * {@code -parameters}. A collection or an array stands for all of its keys, all or
	 * nothing; duplicates count once. When there is no key, or one of them is
	 * {@code null}, blank or an object without a text of its own, the call ends with an
	 * {@link IllegalArgumentException}.
	 * @return the key expression; may be empty when there is a {@link #name()}, which is
	 * then the whole key
	 */
	@AliasFor("value")
	String key() default "";

	/**
	 * Name of low cardinality, taken as it stands: it prefixes the key
	 * ({@code name:key}), tags metrics, and tells listeners what kind of lock it is.
	 * Without a key it is the key, and the lock has no name. One that looks like an
	 * expression ({@code #id}) or a placeholder is refused at startup.
	 * @return the name, or an empty string for none
	 */
	String name() default "";

	/**
	 * Time the lock outlives its holder's last sign of life.
	 * @return a duration; empty for {@code holdfast.lease}
	 */
	String lease() default "";

	/**
	 * Longest time to wait for the lock. (Java forbids an annotation element named
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
	 * Time for which the key stays taken at least, counted from the grant, even when the
	 * method is faster: a scheduler that is late finds it taken. Until then no caller
	 * gets the lock, not even this thread. Not longer than the lease when that is not
	 * renewed, and not longer than {@link #maxHold()}.
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
	 * Whether the lock is exclusive or shared with other shared holders. A holder of the
	 * shared lock of a key that asks for the exclusive one gets a
	 * {@link LockUpgradeException} at once.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * Whether waiters get the lock in the order in which they asked.
	 * @return {@code true} for that order; {@code false} for {@code holdfast.fair}
	 */
	boolean fair() default false;

	/**
	 * SpEL expression that says whether the lock is needed at all; sees what
	 * {@link #key()} sees. When it is {@code false} the method runs without the lock.
	 * @return a boolean expression; empty for always
	 */
	String condition() default "";

	/**
	 * What to do when the lock was not acquired in time. An interruption and a
	 * {@link LockUpgradeException} are thrown in any case, and so is a
	 * {@link LockNotAcquiredException} that comes from the method itself.
	 * @return the reaction; {@link OnFailure#SKIP} does not go together with a
	 * {@link #fallback()}
	 */
	OnFailure onFailure() default OnFailure.THROW;

	/**
	 * What to do when the lock cannot be asked for, because Redis does not answer or the
	 * application is shutting down. A {@link LockUnavailableException} that comes from
	 * the method itself is thrown in any case.
	 * @return the reaction; {@link OnFailure#SKIP} does not go together with a
	 * {@link #fallback()} that takes a {@link LockException}
	 */
	OnFailure onUnavailable() default OnFailure.THROW;

	/**
	 * Name of a method to call instead when the lock was not acquired in time. It belongs
	 * to the class of the object that is called, or to one of its superclasses, and may
	 * be private or static. It takes the same parameters, optionally followed by a
	 * {@link LockNotAcquiredException}; when there are both, the one with the exception
	 * is called. One that takes a {@link LockException} instead is also called when the
	 * lock cannot be asked for. What it returns must fit; for a method that returns
	 * nothing it is dropped. It runs without the lock and without the effect of
	 * annotations of its own, as any method that is called from within the object, and
	 * what it throws reaches the caller as it is.
	 *
	 * <p>
	 * On a type, the fallback must fit each of the methods that the annotation stands
	 * for, and must not be public itself.
	 * @return a method name; empty for none
	 */
	String fallback() default "";

	/**
	 * Time for which the lock stays with this instance after the method has ended, until
	 * another instance wants it: the next call in this instance has it without asking
	 * Redis. Several keys are given back at once. Not together with
	 * {@link LockMode#SHARED}, {@link #fair()}, {@link #minHold()} or a lease that is not
	 * renewed.
	 * @return a duration; {@code 0} to give the lock back at once, empty for
	 * {@code holdfast.retain}
	 * @see LockRequest#retain(Duration)
	 */
	String retain() default "";

}
