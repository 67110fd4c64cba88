package io.holdfast.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/**
 * Registers the endpoint's results for a native image, so that they can become JSON.
 */
final class LocksEndpointRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		if (ClassUtils.isPresent("org.springframework.boot.actuate.endpoint.OperationResponseBody", classLoader)) {
			new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), LocksDescriptor.class,
					LockDescriptor.class);
		}
	}

}
