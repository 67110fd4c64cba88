package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.store.StoreView.ForcedRelease;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.util.StringUtils;

/**
 * Actuator endpoint that shows who holds which lock and who waits for it, and releases a
 * lock by force. Answers within about two seconds, whatever Redis does.
 *
 * @since 0.1.0
 */
@WebEndpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint implements DisposableBean {

	/**
	 * How many requests of a kind are sent to the store at the same time.
	 */
	private static final int THREADS = 2;

	private final HoldfastLockRegistry registry;

	private final LocksReport report;

	private final TimedCalls views = new TimedCalls(THREADS);

	private final TimedCalls looks = new TimedCalls(THREADS);

	/**
	 * Never delayed by requests that hang.
	 */
	private final TimedCalls releases = new TimedCalls(THREADS);

	/**
	 * Create an endpoint.
	 * @param registry the locks to report
	 * @param details the description of this instance
	 */
	public LocksEndpoint(HoldfastLockRegistry registry, InstanceDetails details) {
		this.registry = registry;
		this.report = new LocksReport(registry, details);
	}

	/**
	 * Return locks.
	 * @param scope {@code instance}, or {@code null}, for the locks of this instance,
	 * without asking the store; {@code cluster} for those of all instances, as far as
	 * there is time
	 * @param limit how many locks to return at most, or {@code null} for a thousand of
	 * this instance or a hundred of all
	 * @param prefix what their keys begin with, or {@code null} for all
	 * @param name the name of the locks, or {@code null} for all; not together with a
	 * prefix
	 * @param cursor the cursor of the last answer to go on, or {@code null} to begin;
	 * only for {@code cluster}
	 * @return the locks
	 * @throws org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException
	 * when an argument is not valid
	 * @throws io.holdfast.engine.store.LockStoreException when the store cannot be asked
	 */
	@ReadOperation
	public LocksDescriptor locks(@Nullable String scope, @Nullable String limit, @Nullable String prefix,
			@Nullable String name, @Nullable String cursor) {
		LocksQuery query = LocksQuery.of(scope, limit, prefix, name, cursor);
		return query.cluster() ? this.views.call(() -> this.report.ofCluster(query))
				: this.report.ofInstance(query.prefix(), query.limit());
	}

	/**
	 * Return one lock, as it is in the store.
	 * @param key its key, in parts between which there are slashes
	 * @return the lock, or {@code null} when it has neither holder nor waiter
	 * @throws io.holdfast.engine.store.LockStoreException when the store cannot be asked
	 */
	@ReadOperation
	public @Nullable LockDescriptor lock(@Selector(match = Selector.Match.ALL_REMAINING) String... key) {
		return find(String.join("/", key));
	}

	/**
	 * Release a lock by force.
	 * @param token the token of the only hold to release, or {@code null} for all that
	 * there are at the moment
	 * @param key its key, in parts between which there are slashes
	 * @return whether anything was released
	 * @throws org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException
	 * when the token is not a number
	 * @throws io.holdfast.engine.store.LockStoreException when the store cannot be asked
	 */
	@DeleteOperation
	public boolean release(@Nullable String token, @Selector(match = Selector.Match.ALL_REMAINING) String... key) {
		ForcedRelease release = forceRelease(String.join("/", key), token);
		return release != null && release.isReleased();
	}

	@Nullable LockDescriptor find(String key) {
		return StringUtils.hasText(key) ? this.looks.<@Nullable LockDescriptor>call(() -> this.report.of(key)) : null;
	}

	/**
	 * Release a lock by force. Nothing is released after the time for the answer is over.
	 * @return what was released, or {@code null} when there is no such key
	 */
	@Nullable ForcedRelease forceRelease(String key, @Nullable String token) {
		Long only = LocksQuery.token(token);
		if (!StringUtils.hasText(key)) {
			return null;
		}
		long end = System.nanoTime() + TimedCalls.TIMEOUT.toNanos();
		return this.releases
			.call(() -> this.registry.operations().forceRelease(key, only, Duration.ofNanos(end - System.nanoTime())));
	}

	/**
	 * Return the locks in this instance's memory, with the reason why these are all.
	 */
	LocksDescriptor locksDespite(String error) {
		return this.report.ofInstance("", LocksQuery.MOST).withError(error);
	}

	/**
	 * Return no locks, with the reason why.
	 */
	LocksDescriptor noLocks(String error) {
		return new LocksDescriptor(this.report.instanceId(), error, List.of(), null, null);
	}

	/**
	 * Let threads end once they have nothing to do.
	 */
	@Override
	public void destroy() {
		Stream.of(this.views, this.looks, this.releases).forEach(TimedCalls::close);
	}

}
