package io.holdfast.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Gives a test locks in memory, which need no Redis. Use it on a test class beside
 * {@code @SpringBootTest}, or beside a slice such as {@code @WebMvcTest} or
 * {@code @DataJpaTest}, which has no locks otherwise: methods with
 * {@link io.holdfast.DistributedLock} are locked, and a {@link io.holdfast.LockTemplate}
 * and a {@link io.holdfast.LockRegistry} can be injected, and so can the locks of
 * ShedLock and Spring Integration.
 *
 * <p>
 * Each application context has locks of its own. {@code holdfast.enabled},
 * {@code holdfast.store} and {@code holdfast.redis.nodes} are overridden; all other
 * properties apply as in the application.
 *
 * <p>
 * A test that leaves a lock held fails, by the {@link LeakedLocksExtension}.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@TestPropertySource(properties = { "holdfast.enabled=true", "holdfast.store=local", "holdfast.redis.nodes=" })
@ExtendWith({ SpringExtension.class, LeakedLocksExtension.class })
public @interface AutoConfigureLocks {

	/**
	 * Return whether a test fails when a lock that was acquired during the test is still
	 * held after it, and the lock is released. Switch it off for an application that
	 * holds locks for longer than a test, such as the lock of an elected leader.
	 * @return whether leaked locks are looked for
	 */
	boolean failOnLeak() default true;

}
