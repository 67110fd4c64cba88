package io.holdfast.aop;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedLocks;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers what every application with annotated methods needs in a native image: the
 * annotation, its merged form, which is a proxy, the root object of expressions, and the
 * class by which Reactor is detected.
 */
final class DistributedLockRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerType(DistributedLock.class, MemberCategory.INVOKE_PUBLIC_METHODS)
			.registerType(DistributedLocks.class, MemberCategory.INVOKE_PUBLIC_METHODS)
			.registerType(LockCall.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		hints.reflection().registerTypeIfPresent(classLoader, "reactor.core.publisher.Flux");
		hints.proxies().registerJdkProxy(DistributedLock.class);
	}

}
