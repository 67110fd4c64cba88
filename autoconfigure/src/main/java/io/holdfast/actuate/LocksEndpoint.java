package io.holdfast.actuate;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.util.StringUtils;

/**
 * Actuator endpoint that shows who holds which lock and who waits for it, and releases a
 * lock by force. Answers within about two seconds, whatever Redis does: failures become a
 * status with a body that says why.
 *
 * <p>
 * Keys that do not fit into a path, such as those with two slashes in a row, are given as
 * a parameter. Parameters are objects, since several values of one would otherwise arrive
 * as one string.
 *
 * @since 0.1.0
 */
@WebEndpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

	private static final Pattern CREDENTIALS = Pattern.compile("//[^/@\\s]*@");

	private static final int MOST_AT_ONCE = 20;

	private final LockOperations operations;

	private final LocksReport report;

	private final OperatorCalls queries = new OperatorCalls(MOST_AT_ONCE);

	// Never refused because of queries that hang
	private final OperatorCalls releases = new OperatorCalls(MOST_AT_ONCE);

	/**
	 * Create an endpoint.
	 * @param registry the locks to report
	 */
	public LocksEndpoint(HoldfastLockRegistry registry) {
		this.operations = registry.operations();
		this.report = new LocksReport(this.operations);
	}

	/**
	 * Return locks to code of the application.
	 * @param ofAllInstances {@code true} for the locks of all instances, as far as there
	 * is time; {@code false} for those that this one holds or waits for
	 * @return the locks; if the store cannot be asked, those in this instance's memory,
	 * and why
	 */
	public LocksDescriptor locks(boolean ofAllInstances) {
		try {
			return this.queries.call(() -> this.report.locks(ofAllInstances));
		}
		catch (LockStoreException ex) {
			return unavailable(ex);
		}
	}

	/**
	 * Return locks, or one lock.
	 * @param scope {@code cluster} for the locks of all instances; {@code instance}, or
	 * {@code null}, for those of this one
	 * @param key the key of the only one to return, or {@code null}
	 * @return the locks
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> locks(@Nullable Object scope, @Nullable Object key) {
		if (key != null) {
			return lock(key);
		}
		if (scope != null && !scope.equals("cluster") && !scope.equals("instance")) {
			return invalid("'scope' must be 'instance' or 'cluster', not '%s'".formatted(scope));
		}
		boolean ofAllInstances = "cluster".equals(scope);
		LocksDescriptor locks = locks(ofAllInstances);
		return new WebEndpointResponse<>(locks, (ofAllInstances && locks.error() != null)
				? WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE : WebEndpointResponse.STATUS_OK);
	}

	/**
	 * Return one lock, as it is in the store.
	 * @param path its key, in parts between which there are slashes
	 * @return the lock, if it has a holder or a waiter
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> lock(
			@Selector(match = Selector.Match.ALL_REMAINING) String... path) {
		return lock((Object) String.join("/", path));
	}

	private WebEndpointResponse<OperationResponseBody> lock(Object key) {
		return answer(key, () -> {
			LockDescriptor lock = this.queries.<@Nullable LockDescriptor>call(() -> this.report.lock(key.toString()));
			return (lock != null) ? new WebEndpointResponse<>(lock)
					: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		});
	}

	/**
	 * Release a lock by force.
	 * @param key its key
	 * @param token the token of the only hold to release, or {@code null} for all that
	 * there are at the moment
	 * @return whether anything was released
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> releaseKey(Object key, @Nullable Object token) {
		if (token != null && !token.toString().matches("\\d{1,18}")) {
			return invalid("'token' must be the number that is shown for the lock, not '%s'".formatted(token));
		}
		Long only = (token != null) ? Long.valueOf(token.toString()) : null;
		return answer(key, () -> new WebEndpointResponse<>(isReleased(key.toString(), only)
				? WebEndpointResponse.STATUS_NO_CONTENT : WebEndpointResponse.STATUS_NOT_FOUND));
	}

	/**
	 * Release a lock by force.
	 * @param token the token of the only hold to release, or {@code null} for all that
	 * there are at the moment
	 * @param path its key, in parts between which there are slashes
	 * @return whether anything was released
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> release(@Nullable Object token,
			@Selector(match = Selector.Match.ALL_REMAINING) String... path) {
		return releaseKey(String.join("/", path), token);
	}

	// Nothing is released after the time for the answer is over
	private boolean isReleased(String key, @Nullable Long token) {
		long end = System.nanoTime() + OperatorCalls.TIMEOUT.toNanos();
		return this.releases
			.call(() -> this.operations.forceRelease(key, token, Duration.ofNanos(end - System.nanoTime())))
			.isReleased();
	}

	private WebEndpointResponse<OperationResponseBody> answer(Object key,
			Supplier<WebEndpointResponse<OperationResponseBody>> question) {
		if (key instanceof Collection<?> keys) {
			return invalid("'key' must be given once, not %d times: send a request for each".formatted(keys.size()));
		}
		if (!StringUtils.hasText(key.toString())) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		try {
			return question.get();
		}
		catch (LockStoreException ex) {
			return new WebEndpointResponse<>(unavailable(ex), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	private LocksDescriptor unavailable(LockStoreException failure) {
		return this.report.ownLocks(CREDENTIALS.matcher(String.valueOf(failure.getMessage())).replaceAll("//***@"));
	}

	private WebEndpointResponse<OperationResponseBody> invalid(String error) {
		return new WebEndpointResponse<>(new LocksDescriptor(this.operations.instanceId(), error, List.of(), null),
				WebEndpointResponse.STATUS_BAD_REQUEST);
	}

}
