package io.holdfast.aop;

import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;

/**
 * What the expressions of annotations see of a call.
 */
final class CallContexts {

	private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

	private final BeanResolver beans;

	CallContexts(BeanResolver beans) {
		this.beans = beans;
	}

	EvaluationContext of(LockCall call) {
		MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(call, call.method(), call.args(),
				this.parameterNames);
		context.setBeanResolver(this.beans);
		return context;
	}

}
