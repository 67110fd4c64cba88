package io.holdfast.redis;

import io.holdfast.LogText;
import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockClient.Purpose;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of a server that may evict locks. Asks until there is an answer, which the user
 * of Redis may lack the permission to get.
 */
final class EvictionWarning {

	private static final Logger logger = LoggerFactory.getLogger(EvictionWarning.class);

	private static final String NO_EVICTION = "noeviction";

	private final LockScript<String> policy = new LockScript<>("policy.lua", (reply) -> LockImage.text(reply.get(0)));

	private boolean answered;

	void check(LockClient redis, byte[] key) {
		if (this.answered) {
			return;
		}
		try {
			warn(this.policy.run(redis, ScriptCall.onServerOf(key), Purpose.REPEAT));
			this.answered = true;
		}
		catch (LockStoreException ex) {
			logger.debug("Redis did not tell its maxmemory-policy", ex);
		}
	}

	private static void warn(String policy) {
		if (!policy.isEmpty() && !policy.equals(NO_EVICTION)) {
			logger.atWarn()
				.addKeyValue("policy", policy)
				.log("Redis may evict held locks when its memory is full: its 'maxmemory-policy' is {}, and should be "
						+ "noeviction", LogText.of(policy));
		}
	}

}
