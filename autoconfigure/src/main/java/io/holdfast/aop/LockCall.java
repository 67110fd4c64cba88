package io.holdfast.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * A call of an annotated method: what expressions see as {@code #root}.
 *
 * @param method the method, as declared by the target's class
 * @param target the object called
 * @param targetClass its class
 * @param args the arguments
 * @since 0.1.0
 */
public record LockCall(Method method, Object target, Class<?> targetClass, @Nullable Object[] args) {
}
