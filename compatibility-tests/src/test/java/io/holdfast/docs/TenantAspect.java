package io.holdfast.docs;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;

import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

// snippet: tenant-aspect
@Aspect
@Order(0) // outside the lock, whose key needs the tenant
@Component
class TenantAspect {

	private final Tenants tenants;

	TenantAspect(Tenants tenants) {
		this.tenants = tenants;
	}

	@Around("execution(* *.pay(..)) && args(tenant, ..)")
	Object setTenant(ProceedingJoinPoint call, String tenant) throws Throwable {
		return this.tenants.as(tenant, call);
	}

}
// end
