package io.holdfast.aop;

import java.time.Duration;
import java.util.Iterator;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
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

	private final Supplier<Duration> defaultWait;

	private final Consumer<LockHandle> releaseAside;

	private final Consumer<LockHandle> giveBack;

	DistributedLockInterceptor(LockOperationSource operations, BeanResolver beans, Supplier<LockTemplate> template,
			Supplier<Duration> defaultWait, Consumer<LockHandle> releaseAside, Consumer<LockHandle> giveBack) {
		this.operations = operations;
		this.beans = beans;
		this.template = template;
		this.defaultWait = defaultWait;
		this.releaseAside = releaseAside;
		this.giveBack = giveBack;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Assert.state(target != null, "A locked method needs an object to be called on");
		Class<?> targetClass = AopUtils.getTargetClass(target);
		LockPlan plan = this.operations.get(invocation.getMethod(), targetClass);
		return (plan != null) ? proceedUnder(plan, context(invocation, target, targetClass), invocation)
				: invocation.proceed();
	}

	private @Nullable Object proceedUnder(LockPlan plan, EvaluationContext context, MethodInvocation invocation)
			throws Throwable {
		Iterator<LockRequest> locks = plan.requests(context).iterator();
		return locks.hasNext()
				? new LockedCall(this.template.get(), this.defaultWait, this.releaseAside, this.giveBack, invocation)
					.run(locks)
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
