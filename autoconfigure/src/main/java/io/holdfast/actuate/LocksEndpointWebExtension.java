package io.holdfast.actuate;

import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The {@link LocksEndpoint} over HTTP: what could not be answered becomes a status, with
 * a body that says why. Keys that do not fit into a path, such as those with two slashes
 * in a row, are given as a parameter.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
public final class LocksEndpointWebExtension {

	/**
	 * A user's name and password in a URL.
	 */
	private static final Pattern CREDENTIALS = Pattern.compile("//[^/@\\s]*@");

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
	 * @param limit how many locks to tell of at most
	 * @param key the key of the only one to tell of, or {@code null}
	 * @return the locks
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> locks(@Nullable String scope, @Nullable String limit,
			@Nullable String key) {
		return (key != null) ? one(key) : answer(() -> ok(this.endpoint.locks(scope, limit)));
	}

	/**
	 * Return one lock.
	 * @param path its key, in parts between which there are slashes
	 * @return the lock, if there is one
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> lock(
			@Selector(match = Selector.Match.ALL_REMAINING) String... path) {
		return one(String.join("/", path));
	}

	/**
	 * Take a lock away from whoever holds it.
	 * @param key its key
	 * @return whether somebody held it
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> releaseKey(String key) {
		return takeAway(key);
	}

	/**
	 * Take a lock away from whoever holds it.
	 * @param path its key, in parts between which there are slashes
	 * @return whether somebody held it
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> release(
			@Selector(match = Selector.Match.ALL_REMAINING) String... path) {
		return takeAway(String.join("/", path));
	}

	private WebEndpointResponse<OperationResponseBody> one(String key) {
		return answer(() -> {
			LockDescriptor lock = this.endpoint.find(key);
			return (lock != null) ? ok(lock) : status(WebEndpointResponse.STATUS_NOT_FOUND);
		});
	}

	private WebEndpointResponse<OperationResponseBody> takeAway(String key) {
		return answer(() -> status(this.endpoint.takeAway(key) ? WebEndpointResponse.STATUS_NO_CONTENT
				: WebEndpointResponse.STATUS_NOT_FOUND));
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
