package io.holdfast.differential;

import java.util.List;

/**
 * A hold as it is called in each store: its tokens have names.
 *
 * @param holder what stores call who holds the keys
 * @param grants the keys, with their tokens
 */
record NamedHold(String holder, List<NamedGrant> grants) {

	@Override
	public String toString() {
		return this.holder + this.grants;
	}

	/**
	 * A key that is granted.
	 *
	 * @param key the key
	 * @param token the name of the token
	 */
	record NamedGrant(String key, String token) {

		@Override
		public String toString() {
			return this.key + "@" + this.token;
		}

	}

}
