package io.holdfast.test;

import java.util.List;

import io.holdfast.LockRegistry;
import io.holdfast.engine.HoldfastLockRegistry;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Fails a test that leaves a lock held, and frees what it has left for the tests that
 * follow. For tests with an application context; {@link AutoConfigureLocks} registers it.
 *
 * <ul>
 * <li>A lock that was acquired during the test, from {@code @BeforeEach} methods on, must
 * be released when {@code @AfterEach} methods and the transaction of the test have ended.
 * Other threads have five more seconds. The message says who has acquired the lock and,
 * with {@code @AutoConfigureLocks}, where.</li>
 * <li>Keys that {@link io.holdfast.LockRequest#minHold} keeps are freed.</li>
 * </ul>
 *
 * <p>
 * Tests that run at the same time must not share an application context. A warning says
 * where nothing is checked: if the {@link LockRegistry} bean is a mock or one of the
 * application's own, or the context is closed before the check, as by
 * {@code @DirtiesContext} on a method.
 *
 * @since 0.1.0
 */
public final class LeakedLocksExtension implements BeforeEachCallback {

	private static final Logger logger = LoggerFactory.getLogger(LeakedLocksExtension.class);

	private static final Namespace NAMESPACE = Namespace.create(LeakedLocksExtension.class);

	private static final String WARNED = "warned";

	/**
	 * Create the extension.
	 */
	public LeakedLocksExtension() {
	}

	@Override
	public void beforeEach(ExtensionContext test) {
		ApplicationContext context = SpringExtension.getApplicationContext(test);
		AcquisitionPlaces places = context.getBeanProvider(AcquisitionPlaces.class).getIfAvailable();
		List<LockCheck> checks = context.getBeanProvider(HoldfastLockRegistry.class)
			.stream()
			.map((registry) -> new LockCheck(registry.operations(), places))
			.toList();
		if (checks.isEmpty() && context.getBeanProvider(LockRegistry.class).stream().findAny().isPresent()) {
			warn(test, "the LockRegistry bean is not Holdfast's");
		}
		// Closed after all other extensions, one of which ends the transaction of the
		// test
		test.getStore(NAMESPACE).put(LockCheck.class, (AutoCloseable) () -> check(checks, context, test));
		ExtensionContext.Store ofTheClass = outermostClass(test).getStore(NAMESPACE);
		if (!failsOnLeak(test) && ofTheClass.get(context) == null) {
			ofTheClass.put(context, (AutoCloseable) () -> release(checks, context));
		}
	}

	private static ExtensionContext outermostClass(ExtensionContext test) {
		ExtensionContext outermost = test;
		for (ExtensionContext each = test; each.getTestClass().isPresent(); each = each.getParent().orElseThrow()) {
			outermost = each;
		}
		return outermost;
	}

	private static void release(List<LockCheck> checks, ApplicationContext context) {
		if (((ConfigurableApplicationContext) context).isActive()) {
			checks.forEach(LockCheck::release);
		}
	}

	private static boolean failsOnLeak(ExtensionContext test) {
		AutoConfigureLocks annotation = TestContextAnnotationUtils.findMergedAnnotation(test.getRequiredTestClass(),
				AutoConfigureLocks.class);
		return annotation == null || annotation.failOnLeak();
	}

	private static void warn(ExtensionContext test, String reason) {
		ExtensionContext.Store ofTheClass = test.getParent().orElse(test).getStore(NAMESPACE);
		if (failsOnLeak(test) && ofTheClass.get(WARNED) == null) {
			ofTheClass.put(WARNED, true);
			logger.warn("Tests of {} may leak locks unnoticed: {}", test.getRequiredTestClass().getName(), reason);
		}
	}

	private static void check(List<LockCheck> checks, ApplicationContext context, ExtensionContext test) {
		if (!((ConfigurableApplicationContext) context).isActive()) {
			warn(test, "the application context was closed before the end of " + test.getDisplayName());
			return;
		}
		List<String> leaked = failsOnLeak(test)
				? checks.stream().flatMap((check) -> check.releaseLeaked().stream()).toList() : List.of();
		checks.forEach(LockCheck::freeKept);
		if (!leaked.isEmpty()) {
			throw LockCheck.failure(leaked);
		}
	}

}
