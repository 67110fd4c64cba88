package io.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.util.Assert;

/**
 * The names of keys in Redis. The braces are a Cluster hash tag, which keeps all keys of
 * a lock in one slot; a key with a tag of its own keeps that.
 *
 * <p>
 * No two keys have a name in common, whatever is in them: a name that could be mistaken
 * for another lock's ends with a suffix that no unchanged name ends with.
 */
final class LockKeys {

	private static final String QUEUE = ":queue";

	private static final String DEADLINES = ":deadlines";

	private static final String FAIR = ":fair";

	private static final String SHARES = ":shares";

	private static final String TOKEN = ":token";

	private static final String RELEASED = ":released";

	private static final String TAGGED = ":tagged";

	private static final String BRACED = ":braced";

	private static final List<String> SUFFIXES = List.of(QUEUE, DEADLINES, FAIR, SHARES, TOKEN, RELEASED, TAGGED,
			BRACED);

	// A power of two
	private static final int RECENT = 256;

	// Names of longer keys are not cached
	private static final int LONGEST = 256;

	private static final int MOST_CONTENDED = 4096;

	private final String prefix;

	private final @Nullable Names[] recent = new Names[RECENT];

	private final Set<String> contended = ConcurrentHashMap.newKeySet();

	LockKeys(String prefix) {
		Assert.hasText(prefix, "'keyPrefix' must not be null or blank");
		Assert.isTrue(prefix.indexOf('{') < 0 && prefix.indexOf('}') < 0,
				() -> "'keyPrefix' must not contain braces: " + prefix);
		this.prefix = prefix + ":";
	}

	// A lock is released soon after it is acquired, so the names used last are kept
	Names of(String key) {
		int slot = key.hashCode() & (RECENT - 1);
		Names names = this.recent[slot];
		if (names == null || !names.key().equals(key)) {
			names = create(key);
			if (key.length() <= LONGEST) {
				this.recent[slot] = names;
			}
		}
		return names;
	}

	// Return whether others wanted a lock at the last request. That is a guess, which
	// only decides what is tried first
	boolean isContended(String key) {
		return this.contended.contains(key);
	}

	void noteContended(String key, boolean contended) {
		if (!contended) {
			this.contended.remove(key);
			return;
		}
		if (this.contended.size() >= MOST_CONTENDED) {
			this.contended.clear();
		}
		this.contended.add(key);
	}

	// For many locks at once, whose names are not kept
	byte[] lock(String key) {
		return bytes(this.prefix + tagged(key));
	}

	int slot(String key) {
		return ClusterSlotHashUtil.calculateSlot(of(key).lock());
	}

	@Nullable String keyOf(byte[] lock) {
		String name = new String(lock, StandardCharsets.UTF_8);
		if (!name.startsWith(this.prefix)) {
			return null;
		}
		String key = untagged(name.substring(this.prefix.length()));
		return (!key.isEmpty() && Arrays.equals(create(key).lock(), lock)) ? key : null;
	}

	private static String untagged(String rest) {
		if (rest.startsWith("{_}") && rest.endsWith(BRACED)) {
			return rest.substring(3, rest.length() - BRACED.length());
		}
		if (rest.startsWith("{") && rest.endsWith("}")) {
			return rest.substring(1, rest.length() - 1);
		}
		return rest.endsWith(TAGGED) ? rest.substring(0, rest.length() - TAGGED.length()) : rest;
	}

	String prefix() {
		return this.prefix;
	}

	private Names create(String key) {
		return new Names(key, lock(key));
	}

	private static byte[] append(byte[] name, String suffix) {
		byte[] longer = Arrays.copyOf(name, name.length + suffix.length());
		System.arraycopy(bytes(suffix), 0, longer, name.length, suffix.length());
		return longer;
	}

	String channelPrefix() {
		return this.prefix + "wake:";
	}

	static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String tagged(String key) {
		if (hasTag(key)) {
			return isAmbiguous(key) ? key + TAGGED : key;
		}
		// Redis takes an empty tag for none, and would spread the lock's keys over slots
		return key.startsWith("}") ? "{_}" + key + BRACED : "{" + key + "}";
	}

	private static boolean hasTag(String key) {
		int open = key.indexOf('{');
		return open >= 0 && key.indexOf('}', open) > open + 1;
	}

	private static boolean isAmbiguous(String key) {
		return (key.startsWith("{") && key.endsWith("}")) || SUFFIXES.stream().anyMatch(key::endsWith);
	}

	static final class Names {

		private final String key;

		private final List<byte[]> all;

		private final List<byte[]> toTake;

		Names(String key, byte[] lock) {
			this.key = key;
			this.all = List.of(lock, append(lock, TOKEN), append(lock, QUEUE), append(lock, DEADLINES),
					append(lock, FAIR), append(lock, SHARES));
			this.toTake = List.of(lock, this.all.get(1), this.all.get(3));
		}

		String key() {
			return this.key;
		}

		// In the order of keys.lua
		List<byte[]> all() {
			return this.all;
		}

		byte[] lock() {
			return this.all.get(0);
		}

		List<byte[]> toTake() {
			return this.toTake;
		}

	}

}
