package io.holdfast.actuate;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.StoreView.ForcedRelease;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
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
public final class LocksEndpoint implements DisposableBean {

	private static final Pattern CREDENTIALS = Pattern.compile("//[^/@\\s]*@");

	private static final int CONFLICT = 409;

	private final HoldfastLockRegistry registry;

	private final LocksReport report;

	private final TimedCalls views = new TimedCalls();

	private final TimedCalls looks = new TimedCalls();

	// Never delayed by requests that hang
	private final TimedCalls releases = new TimedCalls();

	/**
	 * Create an endpoint.
	 * @param registry the locks to report
	 * @param details the description of this instance
	 */
	public LocksEndpoint(HoldfastLockRegistry registry, InstanceDetails details) {
		this.registry = registry;
		this.report = new LocksReport(registry.operations(), details);
	}

	/**
	 * Return locks to code of the application.
	 * @param scope {@code instance}, or {@code null}, for the locks of this instance, for
	 * which the store is asked only who holds what it just waits for; {@code cluster} for
	 * those of all instances, as far as there is time
	 * @param limit how many locks to return at most, or {@code null} for a thousand of
	 * this instance or a hundred of all
	 * @param prefix what their keys begin with, or {@code null} for all
	 * @param name the name of the locks, or {@code null} for all; not together with a
	 * prefix
	 * @param cursor the cursor of the last answer to go on, or {@code null} to begin;
	 * only for {@code cluster}
	 * @return the locks
	 * @throws InvalidEndpointRequestException when an argument is not valid
	 * @throws LockStoreException when the store cannot be asked
	 */
	public LocksDescriptor locks(@Nullable String scope, @Nullable String limit, @Nullable String prefix,
			@Nullable String name, @Nullable String cursor) {
		LocksQuery query = LocksQuery.of(scope, limit, prefix, name, cursor);
		return query.cluster() ? this.views.call(() -> this.report.ofCluster(query)) : ofInstance(query);
	}

	private LocksDescriptor ofInstance(LocksQuery query) {
		try {
			return this.looks.call(() -> this.report.ofInstance(query.prefix(), query.limit(), true));
		}
		catch (LockStoreException ex) {
			return this.report.ofInstance(query.prefix(), query.limit(), false);
		}
	}

	/**
	 * Return locks, or one lock.
	 * @param scope {@code instance}, {@code cluster}, or {@code null} for the former
	 * @param limit how many locks to return at most
	 * @param prefix what their keys begin with, or {@code null} for all
	 * @param name the name of the locks, or {@code null} for all
	 * @param cursor the cursor of the last answer, or {@code null} to begin
	 * @param key the key of the only one to return, or {@code null}
	 * @return the locks
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> locks(@Nullable Object scope, @Nullable Object limit,
			@Nullable Object prefix, @Nullable Object name, @Nullable Object cursor, @Nullable Object key) {
		return answer(() -> {
			String only = once("key", key);
			return (only != null) ? one(only) : new WebEndpointResponse<>(locks(once("scope", scope),
					once("limit", limit), once("prefix", prefix), once("name", name), once("cursor", cursor)));
		});
	}

	/**
	 * Return one lock, as it is in the store.
	 * @param path its key, in parts between which there are slashes
	 * @return the lock, if it has a holder or a waiter
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> lock(
			@Selector(match = Selector.Match.ALL_REMAINING) String... path) {
		return answer(() -> one(String.join("/", path)));
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
		return answer(() -> forceRelease(Objects.requireNonNull(once("key", key)), once("token", token)));
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
		return answer(() -> forceRelease(String.join("/", path), once("token", token)));
	}

	private static @Nullable String once(String name, @Nullable Object value) {
		if (value instanceof Collection<?> values) {
			throw LocksQuery.invalid(
					"'%s' must be given once, not %d times: send a request for each".formatted(name, values.size()));
		}
		return (value != null) ? value.toString() : null;
	}

	private WebEndpointResponse<OperationResponseBody> one(String key) {
		LockDescriptor lock = StringUtils.hasText(key)
				? this.looks.<@Nullable LockDescriptor>call(() -> this.report.of(key)) : null;
		return (lock != null) ? new WebEndpointResponse<>(lock) : status(WebEndpointResponse.STATUS_NOT_FOUND);
	}

	// Nothing is released after the time for the answer is over
	private WebEndpointResponse<OperationResponseBody> forceRelease(String key, @Nullable String token) {
		Long only = LocksQuery.token(token);
		if (!StringUtils.hasText(key)) {
			return status(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		long end = System.nanoTime() + TimedCalls.TIMEOUT.toNanos();
		ForcedRelease release = this.releases
			.call(() -> this.registry.operations().forceRelease(key, only, Duration.ofNanos(end - System.nanoTime())));
		if (release.before().holders().isEmpty()) {
			return status(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return release.isReleased() ? status(WebEndpointResponse.STATUS_NO_CONTENT)
				: failed(CONFLICT, othersHold(key, token));
	}

	private static String othersHold(String key, @Nullable String token) {
		return (token != null) ? "Nothing was released: lock '%s' is not held with token %s".formatted(key, token)
				: "Nothing was released: lock '%s' has changed hands meanwhile".formatted(key);
	}

	// If the store cannot be asked, the answer has the locks in this instance's memory
	private WebEndpointResponse<OperationResponseBody> answer(
			Supplier<WebEndpointResponse<OperationResponseBody>> question) {
		try {
			return question.get();
		}
		catch (InvalidEndpointRequestException ex) {
			return failed(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(ex.getReason()));
		}
		catch (LockStoreException ex) {
			String error = CREDENTIALS.matcher(String.valueOf(ex.getMessage())).replaceAll("//***@");
			return new WebEndpointResponse<>(this.report.ofInstance("", LocksQuery.MOST, false).withError(error),
					WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	private WebEndpointResponse<OperationResponseBody> failed(int status, String error) {
		return new WebEndpointResponse<>(
				new LocksDescriptor(this.registry.operations().instanceId(), error, List.of(), null, null), status);
	}

	private static WebEndpointResponse<OperationResponseBody> status(int status) {
		return new WebEndpointResponse<>(status);
	}

	@Override
	public void destroy() {
		Stream.of(this.views, this.looks, this.releases).forEach(TimedCalls::close);
	}

}
