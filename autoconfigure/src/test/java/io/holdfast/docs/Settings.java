package io.holdfast.docs;

import io.holdfast.DistributedLock;

// snippet: on-type
@DistributedLock(name = "settings") // applies to each public method
class Settings {

	public void change(String setting) {
	}

	public void clear() {
	}

	@DistributedLock(name = "settings", key = "#setting") // replaces the class's
															// annotation
	public void read(String setting) {
	}

}
// end
