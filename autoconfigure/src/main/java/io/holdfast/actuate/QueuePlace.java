package io.holdfast.actuate;

import io.holdfast.LockMode;

/**
 * A place in the queue of a lock, in its parts.
 *
 * @param owner who waits
 * @param mode whether it wants to share the lock
 */
record QueuePlace(String owner, LockMode mode) {

	static QueuePlace of(String id) {
		int end = id.lastIndexOf('#');
		return new QueuePlace((end < 0) ? id : id.substring(0, end),
				id.endsWith(",shared") ? LockMode.SHARED : LockMode.EXCLUSIVE);
	}

}
