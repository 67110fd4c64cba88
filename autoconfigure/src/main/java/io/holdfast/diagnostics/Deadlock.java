package io.holdfast.diagnostics;

/**
 * Two owners, each of which waits for what the other one holds. The party with the
 * smaller owner comes first, so that it is the same from both sides.
 *
 * <p>
 * Equal to another one only if both are in the same waits and have had the same holds:
 * what was seen twice like that was so all the time in between.
 */
record Deadlock(Party one, Party other) {

	static Deadlock of(Party some, Party other) {
		return (some.owner().compareTo(other.owner()) < 0) ? new Deadlock(some, other) : new Deadlock(other, some);
	}

	/**
	 * Return the same deadlock, whether or not its owners have waited all the time.
	 */
	Deadlock ofSameHolds() {
		return new Deadlock(this.one.at(""), this.other.at(""));
	}

	/**
	 * An owner that holds what the other one waits for.
	 *
	 * @param owner the owner
	 * @param key what it holds
	 * @param token of that hold
	 * @param place names its wait for what the other one holds
	 */
	record Party(String owner, String key, long token, String place) {

		Party at(String otherPlace) {
			return new Party(this.owner, this.key, this.token, otherPlace);
		}

	}

}
