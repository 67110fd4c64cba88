package io.holdfast.differential;

import org.jspecify.annotations.Nullable;

/**
 * What a store has answered.
 *
 * @param text the answer, without what may differ
 * @param holder who is said to be in the way, or {@code null} if that is nobody, or not
 * known
 */
record Answer(String text, @Nullable String holder) {

	static Answer of(Object text) {
		return new Answer(text.toString(), null);
	}

	@Override
	public String toString() {
		return this.text + ((this.holder != null) ? " by " + this.holder : "");
	}

}
