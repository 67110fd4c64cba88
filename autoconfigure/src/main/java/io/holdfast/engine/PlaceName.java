package io.holdfast.engine;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Name of a place in the queue of a lock: {@code <owner>#<n>}, followed by
 * {@code ,<permits>} and {@code ,shared} if its waiter asks for that. The scripts in
 * Redis read it as well.
 *
 * @param owner the waiting owner's id
 * @param number the number of the owner's wait
 * @param mode exclusive or shared
 * @param permits how many holders there may be with it; 0 for any number that share
 * @since 0.1.0
 */
public record PlaceName(String owner, long number, LockMode mode, int permits) {

	private static final Pattern TEXT = Pattern.compile("(.*?)(?:#(\\d{1,18}))?(?:,(\\d{1,9}))?(,shared)?",
			Pattern.DOTALL);

	// A text without a number is taken as the owner's id
	public static PlaceName of(String text) {
		Matcher place = TEXT.matcher(text);
		Assert.isTrue(place.matches(), "Every text is a place");
		LockMode mode = (place.group(4) != null) ? LockMode.SHARED : LockMode.EXCLUSIVE;
		return new PlaceName(place.group(1), number(place.group(2)), mode, (int) number(place.group(3)));
	}

	private static long number(@Nullable String digits) {
		return (digits != null) ? Long.parseLong(digits) : 0;
	}

	@Override
	public String toString() {
		return this.owner + "#" + this.number + ((this.permits > 0) ? "," + this.permits : "")
				+ ((this.mode == LockMode.SHARED) ? ",shared" : "");
	}

}
