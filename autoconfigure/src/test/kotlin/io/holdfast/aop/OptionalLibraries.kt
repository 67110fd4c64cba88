package io.holdfast.aop

import io.holdfast.DistributedLock
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf

/**
 * Beans that need more than the language.
 */
class OptionalLibraries {

	open class Suspending {

		@DistributedLock("#key")
		open suspend fun work(key: String): String = key

	}

	open class Flowing {

		@DistributedLock("#p0")
		open fun work(key: String): Flow<String> = flowOf(key)

	}

	open class Deferring {

		@DistributedLock("#p0")
		open fun work(key: String): Deferred<String> = CompletableDeferred(key)

	}

}
