package io.holdfast.rules;

import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.WakeUpListener;

/**
 * Something that an instance is to be told about a lock.
 *
 * @param kind what it is told
 * @param key the key
 * @param name the place or the owner that this is about
 * @param token the token of the owner; 0 for a place
 * @since 0.1.0
 */
public record WakeUp(Kind kind, String key, String name, long token) {

	/**
	 * Return whom to tell.
	 * @return the instance's id
	 */
	public String instance() {
		return this.name.substring(0, this.name.indexOf(':'));
	}

	/**
	 * Tell the instance's listener.
	 * @param listener the listener
	 */
	public void tell(WakeUpListener listener) {
		if (this.kind == Kind.MAY_TRY) {
			listener.wakeUp(this.key, this.name);
		}
		else if (this.kind == Kind.FORCE_RELEASED) {
			listener.forceReleased(new HoldId(this.key, this.name, this.token));
		}
		else {
			listener.wanted(this.key, this.kind == Kind.WANTED_NEXT);
		}
	}

	/**
	 * What an instance is told.
	 */
	public enum Kind {

		/**
		 * A waiter may try again.
		 */
		MAY_TRY,

		/**
		 * Others wait for a lock that the instance passes on.
		 */
		WANTED,

		/**
		 * A waiter must be next.
		 */
		WANTED_NEXT,

		/**
		 * An operator has released a hold by force.
		 */
		FORCE_RELEASED

	}

}
