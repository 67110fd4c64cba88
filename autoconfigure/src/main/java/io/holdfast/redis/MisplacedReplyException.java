package io.holdfast.redis;

/**
 * Redis' reply is not the one to the question: a client has lost count of what it sent
 * over a connection. Whether the question has been answered, and how, is unknown.
 */
final class MisplacedReplyException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	MisplacedReplyException() {
		super("its reply is to another question");
	}

}
