package io.holdfast.autoconfigure;

import java.util.List;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Thrown at startup when locks cannot be kept on the nodes that are configured. Has no
 * password in it.
 */
class InvalidRedisNodesException extends InvalidConfigurationPropertyValueException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param servers the nodes, without what must not be told
	 * @param reason what is wrong with them
	 */
	InvalidRedisNodesException(List<String> servers, String reason) {
		super("holdfast.redis.nodes", servers, reason);
	}

}
