package io.holdfast.aop

import io.holdfast.DistributedLock
import io.holdfast.LockNotAcquiredException
import io.holdfast.LockRegistry
import io.holdfast.OnFailure
import io.holdfast.test.EmptyTransactions
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.assertj.core.api.Assertions.assertThatIllegalStateException
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import org.springframework.http.ResponseEntity
import org.springframework.transaction.reactive.TransactionalOperator
import org.springframework.transaction.reactive.executeAndAwait
import reactor.core.publisher.Mono
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger

/**
 * Annotated suspend functions, and functions that return a [Flow] or a [Deferred].
 */
@Tag("depends-on-jdk")
@Tag("slow")
class SuspendFunctionTests {

	private val context = LocalApplication.start(Bakery::class.java)

	private val bakery = this.context.getBean(Bakery::class.java)

	private val registry = this.context.getBean(LockRegistry::class.java)

	@AfterEach
	fun close() {
		this.context.close()
	}

	private fun isLocked(key: String) = this.registry.held().any { it.keys().contains(key) }

	/**
	 * The compiler copies annotations to methods that it makes for itself.
	 */
	@Test
	fun methodsOfTheCompilerAreNotMeant() {
		val copies = Bakery::class.java.declaredMethods.filter { it.isSynthetic && it.name.endsWith("suspendImpl") }
		assertThat(copies).isNotEmpty().allSatisfy {
			assertThat(it.isAnnotationPresent(DistributedLock::class.java)).isTrue()
			assertThat(AnnotatedMethod.of(it, Bakery::class.java)).isNull()
		}
	}

	@Test
	fun lockIsHeldUntilTheFunctionHasEnded() = runBlocking<Unit> {
		val done = CompletableDeferred<String>()
		val result = async(Dispatchers.Default) { bakery.bake("a", done) }
		await().until { isLocked("a") }
		done.complete("bread")
		assertThat(result.await()).isEqualTo("a bread true")
		await().until { !isLocked("a") }
	}

	@Test
	fun lockIsKeptUntilTheReactiveTransactionHasCompleted() = runBlocking<Unit> {
		val transaction = TransactionalOperator.create(EmptyTransactions(Mono.empty(), Mono.empty()))
		val kept = transaction.executeAndAwait {
			bakery.count("a")
			isLocked("a")
		}
		assertThat(kept).isTrue()
		assertThat(isLocked("a")).isFalse()
	}

	@Test
	fun severalProxiesLockOnce() {
		LocalApplication.start(Bakery::class.java, SeveralProxiesTests.SecondCreator::class.java).use {
			val bakery = it.getBean(Bakery::class.java)
			runBlocking {
				assertThat(bakery.bake("a", CompletableDeferred("bread"))).isEqualTo("a bread true")
				assertThat(bakery.listOrSkip("a").toList()).containsExactly("a")
			}
		}
	}

	@Test
	fun functionGoesOnInTheContextOfItsCaller() {
		runBlocking {
			val caller = Thread.currentThread()
			assertThat(bakery.thread("a")).isSameAs(caller)
		}
	}

	@Test
	fun functionsGetTheLockOneAfterTheOther() {
		val inside = runBlocking(Dispatchers.Default) {
			(1..100).map { async { bakery.count("a") } }.awaitAll()
		}
		assertThat(inside).hasSize(100).containsOnly(1)
	}

	@Test
	fun exceptionOfTheFunctionIsThrown() {
		assertThatIllegalStateException().isThrownBy { runBlocking { bakery.fail("a") } }.withMessage("closed")
		await().until { !isLocked("a") }
	}

	@Test
	fun functionDoesNotRunWithoutItsLock() {
		LocalApplication.whileHeldElsewhere(this.context, "a") {
			assertThatExceptionOfType(LockNotAcquiredException::class.java).isThrownBy {
				runBlocking { bakery.bake("a", CompletableDeferred("bread")) }
			}
		}
		assertThat(this.bakery.calls.get()).isZero()
	}

	@Test
	fun cancelledFunctionReleasesItsLock() = runBlocking<Unit> {
		val job = launch(Dispatchers.Default) { bakery.bake("a", CompletableDeferred()) }
		await().until { bakery.calls.get() == 1 }
		job.cancelAndJoin()
		await().until { !isLocked("a") }
		await().untilAsserted { assertThat(bakery.cancelled.get()).isEqualTo(1) }
	}

	@Test
	fun skippedFunctionReturnsAnEmptyResult() {
		LocalApplication.whileHeldElsewhere(this.context, "a") {
			runBlocking {
				assertThat(bakery.bakeOrSkip("a")).isNull()
				assertThat(bakery.countOrSkip("a")).isZero()
				assertThat(bakery.weighOrSkip("a")).isNull()
				bakery.cleanOrSkip("a")
				assertThat(bakery.listOrSkip("a").toList()).isEmpty()
			}
		}
		assertThat(this.bakery.calls.get()).isZero()
		runBlocking {
			assertThat(bakery.bakeOrSkip("a")).isEqualTo("bread")
			assertThat(bakery.countOrSkip("a")).isEqualTo(1)
		}
	}

	@Test
	fun fallbackIsCalledInstead() {
		LocalApplication.whileHeldElsewhere(this.context, "a") {
			runBlocking {
				assertThat(bakery.bakeOrBuy("a")).startsWith("bought: Lock 'a'")
				assertThat(bakery.bakeOrBorrow("a")).isEqualTo("borrowed a")
			}
		}
		runBlocking { assertThat(bakery.bakeOrBuy("a")).isEqualTo("baked a") }
	}

	@Test
	fun lockIsHeldWhileAFlowIsCollected() = runBlocking<Unit> {
		assertThat(bakery.list("a").toList()).containsExactly("1 true", "2 true")
		await().until { !isLocked("a") }
		assertThat(bakery.listSoon("a").toList()).containsExactly("1 true", "2 true")
		await().until { !isLocked("a") }
	}

	@Test
	fun lockIsHeldUntilADeferredHasEnded() = runBlocking<Unit> {
		val done = CompletableDeferred<String>()
		val result = bakery.later("a", done)
		await().until { isLocked("a") }
		done.complete("bread")
		assertThat(result.await()).isEqualTo("bread")
		await().until { !isLocked("a") }
	}

	@Test
	fun skippedFunctionReturnsACompletedDeferred() {
		LocalApplication.whileHeldElsewhere(this.context, "a") {
			val skipped = listOf(bakery.laterOrSkip("a"), bakery.laterListOrSkip("a"))
			assertThat(runBlocking { withTimeout(30_000) { skipped.awaitAll() } }).containsExactly(null, listOf<String>())
		}
		assertThat(runBlocking { bakery.laterOrSkip("a").await() }).isEqualTo("bread")
	}

	/**
	 * Whether the compiler boxes a value class depends on where it stands.
	 */
	@Test
	fun valueClassHasTheKeyOfWhatIsInIt() {
		val number = Number(5)
		val keys = listOf(bakery.plain(number), bakery.nullable(number), bakery.listed(listOf(number)),
			bakery.anything(number), bakery.named(number), bakery.namedOrNot(number),
			bakery.unsigned(4_000_000_000u), bakery.unsignedOrNot(4_000_000_000u))
		assertThat(keys.take(4)).containsOnly(listOf("5"))
		assertThat(keys.subList(4, 6)).containsOnly(listOf("number 5"))
		assertThat(keys[7]).isEqualTo(keys[6])
		assertThat(bakery.anything(Hidden("x"))).containsExactly("x")
	}

	@Test
	fun continuationIsNoArgument() {
		assertThat(runBlocking { bakery.arguments("a", "b") }).containsExactlyInAnyOrder("a", "b")
	}

	@Test
	fun severalParametersAndPositionsCanBeNamed() = runBlocking<Unit> {
		assertThat(bakery.mix("a", "b")).isEqualTo(listOf("a-b", "a-b"))
	}

	@ParameterizedTest
	@CsvSource(
		"continuationAsKey,#p1", "fallbackThatDoesNotSuspend,suspend function 'plain'",
		"fallbackOfAnotherType,java.lang.String", "job,suspend", "channel,ReceiveChannel", "suspendingJob,Job",
		"suspendingFuture,CompletableFuture", "suspendingCallable,Callable", "suspendingMono,Mono",
		"suspendingDeferred,Deferred", "suspendingBody,Flow",
	)
	fun isRefused(function: String, word: String) {
		RefusedMethods.assertRefused(Refused::class.java.declaredMethods.first { it.name == function }, word)
	}

	@Test
	fun finalFunctionIsRefused() {
		assertRefused(Closed::class.java, "is in a class that cannot be extended", "kotlin-spring")
		assertRefused(HalfClosed::class.java, "is final", "kotlin-spring")
	}

	private fun assertRefused(bean: Class<*>, vararg reasons: String) {
		LocalApplication.with(bean).run { context ->
			val failure = generateSequence(context.startupFailure) { it.cause }
				.filterIsInstance<InvalidDistributedLockException>()
				.first()
			assertThat(failure.message + " " + failure.action).contains(*reasons)
		}
	}

	open class Bakery(private val registry: LockRegistry) {

		open val calls = AtomicInteger()

		open val cancelled = AtomicInteger()

		private val inside = AtomicInteger()

		private fun isLocked(key: String) = this.registry.held().any { it.keys().contains(key) }

		@DistributedLock("#key")
		open suspend fun bake(key: String, done: Deferred<String>): String {
			this.calls.incrementAndGet()
			try {
				val result = done.await()
				return "$key $result ${isLocked(key)}"
			}
			catch (ex: CancellationException) {
				this.cancelled.incrementAndGet()
				throw ex
			}
		}

		@DistributedLock("#key")
		open suspend fun thread(key: String): Thread {
			delay(1)
			return Thread.currentThread()
		}

		@DistributedLock(key = "#key", waitFor = "30s")
		open suspend fun count(key: String): Int {
			val entered = this.inside.incrementAndGet()
			delay(1)
			this.inside.decrementAndGet()
			return entered
		}

		@DistributedLock("#key")
		open suspend fun fail(key: String): String {
			delay(1)
			throw IllegalStateException("closed")
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		open suspend fun bakeOrSkip(key: String): String? {
			this.calls.incrementAndGet()
			return "bread"
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		open suspend fun countOrSkip(key: String): Int = 1

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		open suspend fun weighOrSkip(key: String): Int? = 1

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		open suspend fun cleanOrSkip(key: String) {
			this.calls.incrementAndGet()
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		open suspend fun listOrSkip(key: String): Flow<String> = flow { emit(key) }

		@DistributedLock(key = "#key", fallback = "buy")
		open suspend fun bakeOrBuy(key: String): String = "baked $key"

		private suspend fun buy(key: String, failure: LockNotAcquiredException): String {
			delay(1)
			return "bought: ${failure.message}"
		}

		@DistributedLock(key = "#key", fallback = "borrow")
		open suspend fun bakeOrBorrow(key: String): String = "baked $key"

		private suspend fun borrow(key: String): String = "borrowed $key"

		@DistributedLock("#key")
		open fun list(key: String): Flow<String> = elements(key)

		private fun elements(key: String) = flow {
			emit("1 ${isLocked(key)}")
			delay(1)
			emit("2 ${isLocked(key)}")
		}

		@DistributedLock("#key")
		open suspend fun listSoon(key: String): Flow<String> {
			delay(1)
			return elements(key)
		}

		@DistributedLock("#key")
		open fun later(key: String, done: Deferred<String>): Deferred<String> = done

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		open fun laterOrSkip(key: String): Deferred<String?> = CompletableDeferred("bread")

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		open fun laterListOrSkip(key: String): Deferred<List<String>> = CompletableDeferred(listOf("bread"))

		private fun keys() = this.registry.held().flatMap { it.keys() }

		@DistributedLock("#number")
		open fun plain(number: Number) = keys()

		@DistributedLock("#number")
		open fun nullable(number: Number?) = keys()

		@DistributedLock("#numbers")
		open fun listed(numbers: List<Number>) = keys()

		@DistributedLock("#thing")
		open fun <T> anything(thing: T) = keys()

		@DistributedLock("'number ' + #number")
		open fun named(number: Number) = keys()

		@DistributedLock("'number ' + #number")
		open fun namedOrNot(number: Number?) = keys()

		@DistributedLock("#number")
		open fun unsigned(number: UInt) = keys()

		@DistributedLock("#number")
		open fun unsignedOrNot(number: UInt?) = keys()

		@DistributedLock("#root.args")
		open suspend fun arguments(one: String, other: String): List<String> = keys()

		@DistributedLock("#one + '-' + #p1")
		open suspend fun mix(one: String, other: String): List<String> =
			this.registry.held().flatMap { it.keys() } + "$one-$other"

	}

	open class Refused {

		@DistributedLock("#p1")
		open suspend fun continuationAsKey(key: String) {
		}

		@DistributedLock(key = "#key", fallback = "plain")
		open suspend fun fallbackThatDoesNotSuspend(key: String) {
		}

		fun plain(key: String) {
		}

		@DistributedLock(key = "#key", fallback = "ofInt")
		open suspend fun fallbackOfAnotherType(key: String): String = key

		suspend fun ofInt(key: String): Int = 1

		@DistributedLock("#key")
		open fun job(key: String): Job = Job()

		@DistributedLock("#key")
		open fun channel(key: String): ReceiveChannel<String> = Channel()

		@DistributedLock("#key")
		open suspend fun suspendingDeferred(key: String): Deferred<String> = CompletableDeferred(key)

		@DistributedLock("#key")
		open suspend fun suspendingJob(key: String): Job = Job()

		@DistributedLock("#key")
		open suspend fun suspendingFuture(key: String): CompletableFuture<String> = CompletableFuture()

		@DistributedLock("#key")
		open suspend fun suspendingCallable(key: String): Callable<String> = Callable { key }

		@DistributedLock("#key")
		open suspend fun suspendingMono(key: String): Mono<String> = Mono.just(key)

		@DistributedLock("#key")
		open suspend fun suspendingBody(key: String): ResponseEntity<Flow<String>> = ResponseEntity.ok(flow { emit(key) })

	}

	@JvmInline
	private value class Hidden(val text: String)

	@JvmInline
	value class Number(val value: Long)

	class Closed {

		@DistributedLock("#key")
		fun work(key: String) {
		}

	}

	open class HalfClosed {

		@DistributedLock("#key")
		fun work(key: String) {
		}

	}

}
