package io.holdfast.actuate;

import io.holdfast.engine.StoreView;
import org.jspecify.annotations.Nullable;

record OwnerId(String instance, String local) {

	static OwnerId of(String id) {
		int colon = id.indexOf(':');
		return (colon < 0) ? new OwnerId(id, "") : new OwnerId(id.substring(0, colon), id.substring(colon + 1));
	}

	static boolean isKept(String holder) {
		return holder.endsWith(StoreView.KEPT);
	}

	static String withoutKept(String holder) {
		return isKept(holder) ? holder.substring(0, holder.length() - StoreView.KEPT.length()) : holder;
	}

	// null if the owner is a handle
	@Nullable Long threadId() {
		return toLong(this.local);
	}

	static @Nullable Long toLong(@Nullable String text) {
		try {
			return (text != null) ? Long.valueOf(text) : null;
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

}
