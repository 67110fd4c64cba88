package io.holdfast.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test of what takes a course of its own when the machine stands still for a moment:
 * leases run out, and places in queues are given to others. If it fails after such a
 * moment, it is begun anew; if it fails without one, it has failed. Only for tests that
 * would take too long with times that outlast any stall.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@ExtendWith(NewAttempts.class)
public @interface StallProneTest {

}
