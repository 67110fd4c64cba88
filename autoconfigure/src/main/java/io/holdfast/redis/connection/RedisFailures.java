package io.holdfast.redis.connection;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Distinguishes failures that may pass from those that an operator must correct.
 */
final class RedisFailures {

	private static final Pattern NOT_MASTER = Pattern
		.compile("(^|-|: )(READONLY|MASTERDOWN|UNBLOCKED|LOADING|NOREPLICAS|CLUSTERDOWN) ");

	// What Lettuce says when the server closes a connection while it is being opened
	private static final String CLOSED_AT_ONCE = "RedisHandshakeHandler not registered";

	// What clients say of a connection that was closed, unless they tell the cause
	private static final List<String> CLOSED = List.of("Unexpected end of stream", "Connection disconnected",
			"Connection closed", "Connection is closed", "not connected", "Pool not open", CLOSED_AT_ONCE);

	// Failures to connect, or to get an answer in time
	private static final List<Class<? extends IOException>> NOT_CLOSED = List.of(ConnectException.class,
			InterruptedIOException.class, UnknownHostException.class, SSLHandshakeException.class,
			SSLPeerUnverifiedException.class);

	private static final List<String> NO_TLS = List.of("SSL message", "SSL/TLS record");

	private RedisFailures() {
	}

	/**
	 * Translate a failure.
	 * @param acceptedBefore whether earlier requests of the same client were answered: a
	 * server that refuses it now may be about to let it in again, with another password
	 */
	static LockStoreException translate(@Nullable String key, RuntimeException failure, boolean acceptedBefore) {
		if (failure instanceof LockStoreException known) {
			return known;
		}
		String answer = isInterrupt(failure) ? "interrupted while waiting for the answer" : answer(failure);
		String refusal = remarkOnRefusal(failure, answer);
		String mistake = remarkOnMistake(answer);
		boolean permanent = mistake != null || (refusal != null && !acceptedBefore);
		String remark = (mistake != null) ? mistake
				: (refusal != null) ? refusal : remarkOnConnection(failure, answer, acceptedBefore);
		return new LockStoreException(message(key, remark + answer), cause(failure), !permanent,
				!isInterrupt(failure) && (isClosed(failure) || isNotMaster(failure)));
	}

	// Null if the server lets the client in. Older versions of Redis wrap the error of a
	// command in that of the script
	private static @Nullable String remarkOnRefusal(RuntimeException failure, String answer) {
		if (isCausedBy(CertificateException.class, failure)) {
			return "its certificate is refused, ";
		}
		if (Stream.of("NOAUTH", "unauthenticated").anyMatch(answer::contains)) {
			return "it wants a password, ";
		}
		return Stream.of("NOPERM", "WRONGPASS").anyMatch(answer::contains) ? "" : null;
	}

	// Where nothing was ever answered, the client's settings may be wrong
	private static String remarkOnConnection(RuntimeException failure, String answer, boolean acceptedBefore) {
		if (isCausedBy(UnknownHostException.class, failure)) {
			return "unknown host, ";
		}
		if (answer.contains("max number of clients")) {
			return "raise its 'maxclients', or use fewer connections, ";
		}
		return acceptedBefore ? "" : remarkOnSettings(answer);
	}

	private static String remarkOnSettings(String answer) {
		if (Stream.concat(NO_TLS.stream(), Stream.of("Read timed out", "Connection initialization timed out"))
			.anyMatch(answer::contains)) {
			return "if TLS is on (spring.data.redis.ssl, rediss://), see that its port speaks TLS, ";
		}
		if (Stream.of("Unexpected end of stream", "Connection reset", "Connection closed prematurely", CLOSED_AT_ONCE)
			.anyMatch(answer::contains)) {
			return "it closed the connection, as it does when 'maxclients' is reached or TLS is expected"
					+ " (spring.data.redis.ssl.enabled, rediss://), ";
		}
		return Stream.of("Unknown reply", "first byte").anyMatch(answer::contains)
				? "if its port expects TLS, switch it on (spring.data.redis.ssl.enabled, rediss://), " : "";
	}

	// Null if the same request may succeed later
	private static @Nullable String remarkOnMistake(String answer) {
		if (Stream.of("WRONGTYPE", "What should be").anyMatch(answer::contains)) {
			return "one of its keys has another program's value, ";
		}
		if (Stream.of("unknown command", "Unknown Redis command").anyMatch(answer::contains)) {
			return "it lacks a command that locks need, ";
		}
		return Stream.of("Error compiling script", "CROSSSLOT", "same hashslot", "non local key")
			.anyMatch(answer::contains) ? "" : null;
	}

	// Or may not be the master any longer: it is a replica, loads what its master has,
	// or has lost its replicas or its Cluster. Another connection to the same address
	// may lead to the master
	static boolean isNotMaster(Throwable failure) {
		return NOT_MASTER.matcher(answer(failure)).find();
	}

	// Maybe long before the request
	static boolean isClosed(Throwable failure) {
		return CLOSED.stream().anyMatch(answer(failure)::contains) || isCausedBy(CancellationException.class, failure)
				|| (isCausedBy(IOException.class, failure)
						&& NOT_CLOSED.stream().noneMatch((type) -> isCausedBy(type, failure))
						&& NO_TLS.stream().noneMatch(answer(failure)::contains));
	}

	private static String answer(Throwable failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		return Objects.requireNonNullElse(cause.getMessage(), cause.getClass().getSimpleName());
	}

	private static String message(@Nullable String key, String answer) {
		return (key != null) ? "Redis failed on lock '%s': %s".formatted(key, answer)
				: "Redis failed: %s".formatted(answer);
	}

	// An interrupt of a virtual thread closes its socket
	static boolean isInterrupt(Throwable failure) {
		return isCausedBy(InterruptedException.class, failure) || isClosedByInterrupt(failure);
	}

	private static boolean isClosedByInterrupt(Throwable failure) {
		return Thread.currentThread().isInterrupted() && isCausedBy(SocketException.class, failure);
	}

	private static Throwable cause(RuntimeException failure) {
		if (!isClosedByInterrupt(failure)) {
			return failure;
		}
		InterruptedException interrupt = new InterruptedException();
		interrupt.addSuppressed(failure);
		return interrupt;
	}

	private static boolean isCausedBy(Class<? extends Throwable> type, Throwable failure) {
		for (@Nullable
		Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (type.isInstance(cause)) {
				return true;
			}
		}
		return false;
	}

}
