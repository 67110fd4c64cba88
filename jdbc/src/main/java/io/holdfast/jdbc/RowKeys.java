package io.holdfast.jdbc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The keys of rows: the prefix, a colon, and the key, so that people can read it. A key
 * that some database might cut off, refuse, or not tell from another one is followed by
 * its digest instead of its end.
 */
final class RowKeys {

	/**
	 * What the column has room for beside the longest key.
	 */
	static final int LONGEST_PREFIX = 99;

	private static final int LONGEST = 400;

	private static final int KEPT = 64;

	private static final Pattern PLAIN = Pattern.compile("[^\\p{Cntrl}\\p{Cs}]*[^\\p{Cntrl}\\p{Cs}\\s\\p{Z}]");

	private static final Pattern DIGESTED = Pattern.compile(".*~[0-9a-f]{64}", Pattern.DOTALL);

	private final String prefix;

	RowKeys(String prefix) {
		this.prefix = prefix + ":";
	}

	static boolean isPlain(String key) {
		return key.length() <= LONGEST && PLAIN.matcher(key).matches() && !DIGESTED.matcher(key).matches();
	}

	String of(String key) {
		if (isPlain(key)) {
			return this.prefix + key;
		}
		String start = key.substring(0, Math.min(KEPT, key.length())).replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
		return this.prefix + start + "~" + digest(key);
	}

	String prefix() {
		return this.prefix;
	}

	// Of a row that is not digested
	String keyOf(String row) {
		return row.substring(this.prefix.length());
	}

	static String digest(String text) {
		try {
			// Half a character has a code of its own
			byte[] bytes = text.getBytes(StandardCharsets.UTF_16);
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
