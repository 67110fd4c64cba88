package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.OnLost;
import io.holdfast.test.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.awaitility.Awaitility.await;

/**
 * Two instances that share what is stored, and a key that is new for each test.
 */
public abstract class AbstractStoreTests {

	/**
	 * Half of how long a place in a queue lasts.
	 */
	static final Duration LONG_POLL = Duration.ofSeconds(3);

	private static final AtomicInteger keys = new AtomicInteger();

	protected final String key = "key-" + keys.incrementAndGet();

	private final List<TestInstance> instances = new ArrayList<>();

	private @Nullable LockStores stores;

	protected TestInstance one;

	protected TestInstance two;

	/**
	 * Set where locks are kept: the extension of a test class that is of this kind.
	 */
	final void use(LockStores stores) {
		this.stores = stores;
	}

	protected final LockStores stores() {
		return Objects.requireNonNull(this.stores);
	}

	@BeforeEach
	final void createInstances() {
		this.one = firstInstance();
		this.two = newInstance();
	}

	TestInstance firstInstance() {
		return newInstance();
	}

	protected LockRequest request() {
		return LockRequest.of(this.key);
	}

	LockRequest oneTry() {
		return request().waitFor(Duration.ZERO);
	}

	String other() {
		return "other-" + this.key;
	}

	LockRequest exclusive() {
		return patient(LockRequest.of(this.key));
	}

	LockRequest shared() {
		return exclusive().shared();
	}

	LockRequest both() {
		return patient(LockRequest.of(this.key, other()));
	}

	private static LockRequest patient(LockRequest request) {
		return request.waitFor(Duration.ofSeconds(30));
	}

	LockRequest oneTry(LockRequest request) {
		return request.waitFor(Duration.ZERO);
	}

	boolean isFree() {
		return isFree(request());
	}

	boolean isFree(LockRequest request) {
		return isFreeFor(this.two, request);
	}

	boolean isFreeFor(TestInstance instance) {
		return isFreeFor(instance, request());
	}

	private static boolean isFreeFor(TestInstance instance, LockRequest request) {
		return Threads
			.call(() -> instance.template().tryAcquire(request.waitFor(Duration.ZERO)).map(LockHandle::release))
			.isPresent();
	}

	boolean isDenied(TestInstance instance, LockRequest request) {
		return !isFreeFor(instance, request);
	}

	CompletableFuture<LockHandle> acquire(TestInstance instance, LockRequest request) {
		return Threads.start(() -> instance.template().acquire(request));
	}

	void awaitQueued(String name, int waiters) {
		await().until(() -> stores().isQueued(name, waiters));
	}

	TestInstance newInstance() {
		return newInstance(OnLost.THROW);
	}

	TestInstance newInstance(OnLost onLost) {
		return closing(new TestInstance(stores()::open, onLost));
	}

	/**
	 * Create an instance whose places in queues last, also on a machine that stands still
	 * for a moment: for what depends on their order.
	 */
	TestInstance newPatientInstance() {
		return closing(new TestInstance(stores()::open, LONG_POLL));
	}

	protected TestInstance closing(TestInstance instance) {
		this.instances.add(instance);
		return instance;
	}

	/**
	 * Wait until so many threads of this JVM are parked because they wait for a lock:
	 * those that are counted as waiting may not have got in line yet.
	 */
	static void awaitParked(int threads) {
		await().pollInterval(Duration.ofMillis(2)).until(() -> parked() >= threads);
	}

	static long parked() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> LockSupport.getBlocker(thread) instanceof CallingThread)
			.count();
	}

	@AfterEach
	protected final void closeInstances() {
		this.instances.forEach(TestInstance::close);
	}

}
