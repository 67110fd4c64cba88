package io.holdfast.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Says what a native image has to keep for locks in transactions: the class by which
 * these are known to be there.
 */
final class TransactionRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerTypeIfPresent(classLoader,
					"org.springframework.transaction.support.TransactionSynchronizationManager");
	}

}
