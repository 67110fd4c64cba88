package io.holdfast.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * An owner's id, {@code <instance>:<thread id>} or {@code <instance>:handle-<number>}, in
 * parts. The instance says who it is, {@code <application>@<host>/<pid>/<random>}, or is
 * the random part alone.
 *
 * @param instance the id of its instance
 * @param local what tells it from others there
 * @since 0.1.0
 */
public record OwnerId(String instance, String local) {

	private static final Pattern INSTANCE = Pattern.compile("([^@/]+)@([^@/]+)/(\\d{1,18})/[^@/]+");

	// What separates the parts of names in the store, or means something to a client, is
	// replaced
	private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9._-]");

	private static final int LONGEST_APPLICATION = 40;

	private static final int LONGEST_HOST = 63;

	/**
	 * Take an owner's id apart.
	 * @param id the id
	 * @return its parts
	 */
	public static OwnerId of(String id) {
		int colon = id.indexOf(':');
		return (colon < 0) ? new OwnerId(id, "") : new OwnerId(id.substring(0, colon), id.substring(colon + 1));
	}

	/**
	 * Return an instance id that nothing else has, and that does not say who it is.
	 * @return the id
	 */
	public static String newInstance() {
		return Long.toUnsignedString(new SecureRandom().nextLong(), Character.MAX_RADIX);
	}

	/**
	 * Return an id of this process as an instance of an application.
	 * @param application the application's name, or {@code null} if it has none
	 * @return the id
	 */
	public static String newInstance(@Nullable String application) {
		return "%s@%s/%d/%s".formatted(applicationName(application), part(hostName(), LONGEST_HOST),
				ProcessHandle.current().pid(), newInstance());
	}

	/**
	 * Return an application's name as the ids of its instances have it.
	 * @param application the name, or {@code null} if it has none
	 * @return the name in ids
	 */
	public static String applicationName(@Nullable String application) {
		return StringUtils.hasText(application) ? part(application, LONGEST_APPLICATION) : "application";
	}

	private static String part(String text, int longest) {
		return UNSAFE.matcher(text.substring(0, Math.min(longest, text.length()))).replaceAll("_");
	}

	private static String hostName() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

	public @Nullable String application() {
		return part(1);
	}

	public @Nullable String host() {
		return part(2);
	}

	public @Nullable Long pid() {
		return toLong(part(3));
	}

	private @Nullable String part(int number) {
		Matcher named = INSTANCE.matcher(this.instance);
		return named.matches() ? named.group(number) : null;
	}

	/**
	 * Return the id of the owner's thread.
	 * @return the id, or {@code null} if the owner is a handle
	 */
	public @Nullable Long threadId() {
		return toLong(this.local);
	}

	private static @Nullable Long toLong(@Nullable String digits) {
		return (digits != null && digits.matches("\\d{1,18}")) ? Long.valueOf(digits) : null;
	}

}
