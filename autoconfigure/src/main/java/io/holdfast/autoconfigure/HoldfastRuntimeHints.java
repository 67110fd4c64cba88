package io.holdfast.autoconfigure;

import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.actuate.LockDescriptor;
import io.holdfast.actuate.LocksDescriptor;
import io.holdfast.aop.LockCall;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/**
 * Registers what every application needs in a native image, with any store: the scripts,
 * the annotation, its merged form (a proxy), the root object of expressions, the results
 * of the endpoint, and the classes by which optional libraries are detected.
 */
final class HoldfastRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/holdfast/*/*.lua");
		Stream.of(DistributedLock.class, LockCall.class)
			.forEach((type) -> hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS));
		hints.proxies().registerJdkProxy(DistributedLock.class);
		Stream
			.of("reactor.core.publisher.Flux",
					"org.springframework.transaction.support.TransactionSynchronizationManager")
			.forEach((name) -> hints.reflection().registerTypeIfPresent(classLoader, name));
		if (ClassUtils.isPresent("org.springframework.boot.actuate.endpoint.OperationResponseBody", classLoader)) {
			new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), LocksDescriptor.class,
					LockDescriptor.class);
		}
	}

}
