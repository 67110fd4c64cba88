package io.holdfast.docs;

import io.holdfast.DistributedLock;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Locks and aspects of the application.
 */
@Tag("any-jdk")
class AspectOrderTests {

	@Test
	void keyIsEvaluatedBeforeAnAspectWithoutOrder() {
		OneApplication.with(Invoices.class, Tenants.class, TenantAspectWithoutOrder.class)
			.run((context) -> assertThatIllegalArgumentException()
				.isThrownBy(() -> context.getBean(Invoices.class).pay("acme", "7")));
	}

	@Test
	void keyIsEvaluatedInsideAnAspectWithOrder() {
		OneApplication.with(Invoices.class, Tenants.class, TenantAspect.class).run((context) -> {
			context.getBean(Invoices.class).pay("acme", "7");
			assertThat(context.getBean(Locking.class).acquired()).containsExactly("acme");
		});
	}

	static class Invoices {

		@DistributedLock("@tenants.current()")
		public void pay(String tenant, String id) {
		}

	}

	@Aspect
	static class TenantAspectWithoutOrder {

		private final Tenants tenants;

		TenantAspectWithoutOrder(Tenants tenants) {
			this.tenants = tenants;
		}

		@Around("execution(* *.pay(..)) && args(tenant, ..)")
		Object setTenant(ProceedingJoinPoint call, String tenant) throws Throwable {
			return this.tenants.as(tenant, call);
		}

	}

}
