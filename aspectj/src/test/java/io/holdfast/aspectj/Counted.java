package io.holdfast.aspectj;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/**
 * Has calls counted by {@link CountingAspect}.
 */
@Retention(RetentionPolicy.RUNTIME)
@interface Counted {

}
