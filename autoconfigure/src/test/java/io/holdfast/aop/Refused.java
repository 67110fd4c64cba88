package io.holdfast.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/**
 * On a method whose lock cannot work: what the user is told at startup, after the name of
 * the method.
 */
@Retention(RetentionPolicy.RUNTIME)
@interface Refused {

	/**
	 * Return the attribute that is named, if one is.
	 */
	String attribute() default "key";

	String problem();

	String action();

}
