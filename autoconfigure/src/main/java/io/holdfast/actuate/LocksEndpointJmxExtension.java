package io.holdfast.actuate;

import io.holdfast.engine.store.StoreView.ForcedRelease;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;

/**
 * The {@link LocksEndpoint} as an MBean: a key is one parameter, and results are types
 * that an MBean can return.
 *
 * @since 0.1.0
 */
@EndpointJmxExtension(endpoint = LocksEndpoint.class)
public final class LocksEndpointJmxExtension {

	private final LocksEndpoint endpoint;

	/**
	 * Create an extension.
	 * @param endpoint the endpoint
	 */
	public LocksEndpointJmxExtension(LocksEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Return one lock.
	 * @param key its key
	 * @return the lock, or {@code null} when it has neither holder nor waiter
	 */
	@ReadOperation
	public @Nullable LockDescriptor lock(String key) {
		return this.endpoint.find(key);
	}

	/**
	 * Release a lock by force.
	 * @param key its key
	 * @param token the token of the only hold to release, or {@code null} for all that
	 * there are at the moment
	 * @return {@code released}; {@code not held} if it was free; {@code held by others}
	 * if nothing was released because the token differs, or it changed hands meanwhile
	 */
	@DeleteOperation
	public String release(String key, @Nullable String token) {
		ForcedRelease release = this.endpoint.forceRelease(key, token);
		if (release == null || release.before().holders().isEmpty()) {
			return "not held";
		}
		return release.isReleased() ? "released" : "held by others";
	}

}
