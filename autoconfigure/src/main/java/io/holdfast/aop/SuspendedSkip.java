package io.holdfast.aop;

import java.lang.reflect.Method;

import io.holdfast.LockNotAcquiredException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A {@link Skip} for suspend functions.
 *
 * @param function the function
 * @param skip returns what the function would return
 */
record SuspendedSkip(Method function, Skip skip) implements FailureReaction {

	SuspendedSkip(Method function) {
		this(function, new Skip(SuspendFunctions.returnType(function)));
	}

	@Override
	public Object instead(LockCall call, LockNotAcquiredException failure) {
		Object result = this.skip.instead(call, failure);
		if (SuspendFunctions.returnsFlow(this.function)) {
			return Flux.empty();
		}
		return Mono.justOrEmpty(result);
	}

}
