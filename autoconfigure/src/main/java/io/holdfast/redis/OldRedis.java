package io.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.connection.LockConnection;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Recognizes a server that lacks what the scripts use.
 */
final class OldRedis {

	private static final String INFO = "return {redis.call('INFO', 'server')}";

	private static final Pattern VERSION = Pattern.compile("redis_version:((\\d+)\\.(\\d+)\\S*)");

	private OldRedis() {
	}

	static RuntimeException explain(RuntimeException failure, LockConnection connection) {
		String answer = String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure).getMessage());
		if (!answer.contains("ERR syntax error") && !answer.contains("Unknown Redis command")) {
			return failure;
		}
		Matcher version = VERSION.matcher(info(connection));
		if (!version.find()) {
			return tooOld("Redis", failure);
		}
		int major = Integer.parseInt(version.group(2));
		boolean old = major < 6 || (major == 6 && Integer.parseInt(version.group(3)) < 2);
		return old ? tooOld("Redis " + version.group(1), failure) : failure;
	}

	// The user of Redis may lack the permission
	private static String info(LockConnection connection) {
		try {
			return (connection.eval(LockKeys.bytes(INFO), ReturnType.MULTI, List.of(),
					List.of()) instanceof List<?> reply && reply.get(0) instanceof byte[] info)
							? new String(info, StandardCharsets.UTF_8) : "";
		}
		catch (RuntimeException ex) {
			return "";
		}
	}

	private static LockStoreException tooOld(String server, RuntimeException failure) {
		return new LockStoreException(server + " is too old: locks need 6.2", failure, false);
	}

}
