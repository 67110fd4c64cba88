package io.holdfast.aop;

import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockTemplate;

/**
 * What calls under locks are run with.
 *
 * @param template where locks come from; asked for at the first call
 * @param defaults what annotations leave open; asked for when it is needed
 * @param releaseAside gives up a lock without waiting for Redis
 * @param noteUnused gets a lock under which nothing has run, before it is released; must
 * not wait for Redis
 */
record LockRuntime(Supplier<LockTemplate> template, Supplier<LockDefaults> defaults, Consumer<LockHandle> releaseAside,
		Consumer<LockHandle> noteUnused) {

}
