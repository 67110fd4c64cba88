package io.holdfast.docs

import io.holdfast.DistributedLock
import io.holdfast.LockRegistry
import io.holdfast.LockTemplate
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.context.annotation.Import
import org.springframework.stereotype.Service

/**
 * Suspend functions.
 */
@GuideTest
@Import(Stock::class, Warehouse::class)
@Tag("slow")
internal class SuspendSnippetsTests {

	@Autowired
	private lateinit var stock: Stock

	@Autowired
	private lateinit var warehouse: Warehouse

	@Autowired
	private lateinit var locks: LockTemplate

	@Autowired
	private lateinit var registry: LockRegistry

	@Test
	fun suspendFunction() = runBlocking<Unit> {
		warehouse.counted = CompletableDeferred()
		val other = OtherInstance(locks)
		val count = async(Dispatchers.Default) { stock.count("anvil") }
		// Trying to lock it could keep the application, which tries once, from getting it
		await().until { registry.held().isNotEmpty() }
		assertThat(other.canLock("stock:anvil")).isFalse()
		warehouse.counted.complete(7)
		assertThat(count.await()).isEqualTo(7)
		await().until { other.canLock("stock:anvil") }
	}

}

class Warehouse {

	@Volatile
	var counted = CompletableDeferred<Int>()

	private val items = setOf("anvil")

	suspend fun count(item: String): Int = if (item in this.items) this.counted.await() else 0

}

// snippet: suspend
@Service
open class Stock(private val warehouse: Warehouse) {

	@DistributedLock(name = "stock", key = "#item")
	open suspend fun count(item: String): Int = this.warehouse.count(item)

}
// end
