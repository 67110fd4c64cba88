package io.holdfast;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@code RedisConnectionFactory} bean that leads to the Redis with the locks,
 * where that is not the one that the rest of the application uses. The application does
 * not start if several beans have it, or one that is no connection factory, or beside
 * {@code holdfast.redis.nodes}. The property {@code holdfast.redis.connection-factory}
 * overrides it.
 *
 * <p>
 * As {@code defaultCandidate = false}, the bean leaves Spring Boot's own connection
 * factory in place:
 *
 * <pre class="code">
 * &#64;Bean(defaultCandidate = false)
 * &#64;HoldfastRedis
 * LettuceConnectionFactory redisOfLocks() {
 * 	return new LettuceConnectionFactory(new RedisStandaloneConfiguration("locks.example.com", 6379),
 * 			LettuceClientConfiguration.builder().commandTimeout(Duration.ofSeconds(2)).build());
 * }
 * </pre>
 *
 * @since 0.1.0
 */
@Target({ ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface HoldfastRedis {

}
