package io.holdfast.aop;

import java.util.Iterator;
import java.util.function.Supplier;

import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.util.Assert;

/**
 * Runs annotated methods under their locks.
 */
final class DistributedLockInterceptor implements MethodInterceptor {

	private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

	private final LockOperationSource operations;

	private final BeanResolver beans;

	private final Supplier<LockTemplate> template;

	DistributedLockInterceptor(LockOperationSource operations, BeanResolver beans, Supplier<LockTemplate> template) {
		this.operations = operations;
		this.beans = beans;
		this.template = template;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Assert.state(target != null, "A locked method needs an object to be called on");
		Class<?> targetClass = AopUtils.getTargetClass(target);
		LockPlan plan = this.operations.get(invocation.getMethod(), targetClass);
		return (plan != null)
				? proceedUnder(plan.requests(context(invocation, target, targetClass)).iterator(), invocation)
				: invocation.proceed();
	}

	@SuppressWarnings("NullAway") // it does not know yet that a type argument can be
									// nullable
	private @Nullable Object proceedUnder(Iterator<LockRequest> locks, MethodInvocation invocation) throws Throwable {
		return locks.hasNext()
				? this.template.get()
					.<@Nullable Object, Throwable>execute(locks.next(), (lock) -> proceedUnder(locks, invocation))
				: invocation.proceed();
	}

	private EvaluationContext context(MethodInvocation invocation, Object target, Class<?> targetClass) {
		LockCall call = new LockCall(AopUtils.getMostSpecificMethod(invocation.getMethod(), targetClass), target,
				targetClass, invocation.getArguments());
		MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(call, call.method(), call.args(),
				this.parameterNames);
		context.setBeanResolver(this.beans);
		return context;
	}

}
