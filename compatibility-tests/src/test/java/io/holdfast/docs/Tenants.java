package io.holdfast.docs;

import org.aspectj.lang.ProceedingJoinPoint;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * The tenant for whom a thread works.
 */
@Component("tenants")
class Tenants {

	private final ThreadLocal<@Nullable String> current = new ThreadLocal<>();

	public @Nullable String current() {
		return this.current.get();
	}

	@Nullable Object as(String tenant, ProceedingJoinPoint call) throws Throwable {
		this.current.set(tenant);
		try {
			return call.proceed();
		}
		finally {
			this.current.remove();
		}
	}

}
