package io.holdfast.aspectj;

import java.util.concurrent.atomic.AtomicInteger;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;

/**
 * One more aspect that is woven into locked methods.
 */
@Aspect
public class CountingAspect {

	private final AtomicInteger calls = new AtomicInteger();

	@Around(value = "execution(* io.holdfast.aspectj.WeavingWorker.Stock.mono(..))", argNames = "joinPoint")
	public Object count(ProceedingJoinPoint joinPoint) throws Throwable {
		this.calls.incrementAndGet();
		return joinPoint.proceed();
	}

	int calls() {
		return this.calls.get();
	}

}
