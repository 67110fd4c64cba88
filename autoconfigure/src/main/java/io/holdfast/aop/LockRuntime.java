package io.holdfast.aop;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;

import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;

/**
 * What all locked methods of an application are run with.
 */
final class LockRuntime {

	private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

	private final BeanResolver beans;

	private final Supplier<LockTemplate> template;

	private final Supplier<LockDefaults> defaults;

	private final Consumer<LockHandle> releaseAside;

	private final Consumer<LockHandle> noteUnused;

	LockRuntime(BeanResolver beans, Supplier<LockTemplate> template, Supplier<LockDefaults> defaults,
			Consumer<LockHandle> releaseAside, Consumer<LockHandle> noteUnused) {
		this.beans = beans;
		this.template = template;
		this.defaults = defaults;
		this.releaseAside = releaseAside;
		this.noteUnused = noteUnused;
	}

	LockTemplate template() {
		return this.template.get();
	}

	/**
	 * Return what expressions see of a call.
	 */
	EvaluationContext evaluationContext(LockCall call) {
		MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(call, call.method(), call.args(),
				this.parameterNames);
		context.setBeanResolver(this.beans);
		return context;
	}

	/**
	 * Return how long a request waits, also if it does not say so.
	 */
	Duration waitFor(LockRequest request) {
		return (request.waitFor() != null) ? request.waitFor() : this.defaults.get().waitFor();
	}

	/**
	 * Release a lock without waiting for Redis.
	 */
	void releaseAside(LockHandle lock) {
		this.releaseAside.accept(lock);
	}

	/**
	 * Note that nothing has run under a lock that is about to be released. Does not wait
	 * for Redis.
	 */
	void noteUnused(LockHandle lock) {
		this.noteUnused.accept(lock);
	}

}
