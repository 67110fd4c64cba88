package io.holdfast;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.intellij.lang.annotations.Language;

/**
 * Marks an attribute as an expression for IDEs. An annotation of its own, as the compiler
 * would warn users, who do not have {@link Language}, of its value.
 */
@Language("SpEL")
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
@interface SpelExpression {

}
