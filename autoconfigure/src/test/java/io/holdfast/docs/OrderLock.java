package io.holdfast.docs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.holdfast.DistributedLock;

import org.springframework.core.annotation.AliasFor;

// snippet: composed
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@DistributedLock(name = "order", waitFor = "2s")
@interface OrderLock {

	@AliasFor(annotation = DistributedLock.class, attribute = "key")
	String value();

	@AliasFor(annotation = DistributedLock.class)
	String lease() default "10s";

}
// end
