package io.holdfast.engine;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The greatest fencing token that this instance has come to know. A hold of one of its
 * owners that the store has with a token no greater, when an acquisition begins, is left
 * over from an earlier acquisition: the present one must not take it for its own.
 */
final class Tokens {

	private final AtomicLong greatest = new AtomicLong();

	void seen(long token) {
		if (token > this.greatest.get()) {
			this.greatest.accumulateAndGet(token, Math::max);
		}
	}

	long greatest() {
		return this.greatest.get();
	}

}
