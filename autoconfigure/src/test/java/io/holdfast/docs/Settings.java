package io.holdfast.docs;

import io.holdfast.DistributedLock;

// snippet: on-type
@DistributedLock(name = "settings") // for each public method that has none of its own
class Settings {

	public void change(String setting) {
	}

	public void clear() {
	}

	@DistributedLock(name = "settings", key = "#setting") // instead of the type's
	public void read(String setting) {
	}

}
// end
