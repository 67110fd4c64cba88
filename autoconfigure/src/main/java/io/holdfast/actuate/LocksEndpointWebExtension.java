package io.holdfast.actuate;

import java.util.Collection;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.holdfast.engine.store.LockStoreException;
import io.holdfast.engine.store.StoreView.ForcedRelease;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The {@link LocksEndpoint} over HTTP: failures become a status with a body that says
 * why. Keys that do not fit into a path, such as those with two slashes in a row, are
 * given as a parameter. Parameters are objects here, since several values of one would
 * otherwise arrive as one string.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
public final class LocksEndpointWebExtension {

	/**
	 * A user's name and password in a URL.
	 */
	private static final Pattern CREDENTIALS = Pattern.compile("//[^/@\\s]*@");

	private static final int CONFLICT = 409;

	private final LocksEndpoint endpoint;

	/**
	 * Create an extension.
	 * @param endpoint the endpoint
	 */
	public LocksEndpointWebExtension(LocksEndpoint endpoint) {
		this.endpoint = endpoint;
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
			String onlyKey = once("key", key);
			String onlyScope = once("scope", scope);
			String onlyLimit = once("limit", limit);
			String onlyPrefix = once("prefix", prefix);
			String onlyName = once("name", name);
			String onlyCursor = once("cursor", cursor);
			return (onlyKey != null) ? one(onlyKey)
					: ok(this.endpoint.locks(onlyScope, onlyLimit, onlyPrefix, onlyName, onlyCursor));
		});
	}

	/**
	 * Return one lock.
	 * @param path its key, in parts between which there are slashes
	 * @return the lock, if there is one
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

	/**
	 * Return the value of a parameter that may be given only once.
	 * @param name its name
	 * @param value a string, several of them in a collection, or {@code null}
	 */
	private static @Nullable String once(String name, @Nullable Object value) {
		if (value instanceof Collection<?> values) {
			throw LocksQuery.invalid(
					"'%s' must be given once, not %d times: send a request for each".formatted(name, values.size()));
		}
		return (value != null) ? value.toString() : null;
	}

	private WebEndpointResponse<OperationResponseBody> one(String key) {
		LockDescriptor lock = this.endpoint.find(key);
		return (lock != null) ? ok(lock) : status(WebEndpointResponse.STATUS_NOT_FOUND);
	}

	private WebEndpointResponse<OperationResponseBody> forceRelease(String key, @Nullable String token) {
		ForcedRelease release = this.endpoint.forceRelease(key, token);
		if (release == null || release.before().holders().isEmpty()) {
			return status(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return release.isReleased() ? status(WebEndpointResponse.STATUS_NO_CONTENT)
				: new WebEndpointResponse<>(this.endpoint.noLocks(othersHold(key, token)), CONFLICT);
	}

	private static String othersHold(String key, @Nullable String token) {
		return (token != null) ? "Nothing was released: lock '%s' is not held with token %s".formatted(key, token)
				: "Nothing was released: lock '%s' has changed hands meanwhile".formatted(key);
	}

	private WebEndpointResponse<OperationResponseBody> answer(
			Supplier<WebEndpointResponse<OperationResponseBody>> question) {
		try {
			return question.get();
		}
		catch (InvalidEndpointRequestException ex) {
			return new WebEndpointResponse<>(this.endpoint.noLocks(String.valueOf(ex.getReason())),
					WebEndpointResponse.STATUS_BAD_REQUEST);
		}
		catch (LockStoreException ex) {
			String error = CREDENTIALS.matcher(String.valueOf(ex.getMessage())).replaceAll("//***@");
			return new WebEndpointResponse<>(this.endpoint.locksDespite(error),
					WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	private static WebEndpointResponse<OperationResponseBody> ok(OperationResponseBody body) {
		return new WebEndpointResponse<>(body);
	}

	private static WebEndpointResponse<OperationResponseBody> status(int status) {
		return new WebEndpointResponse<>(status);
	}

}
