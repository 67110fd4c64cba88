package io.holdfast.actuate;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.engine.StoreView.KeyRange;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

record LocksQuery(boolean cluster, int limit, String prefix, Cursor cursor) {

	// The default number: locks of other instances are looked up one by one
	private static final int MOST_OF_CLUSTER = 100;

	static final int MOST = 1_000;

	static LocksQuery of(@Nullable String scope, @Nullable String limit, @Nullable String prefix, @Nullable String name,
			@Nullable String cursor) {
		boolean cluster = "cluster".equals(scope);
		if (scope != null && !cluster && !scope.equals("instance")) {
			throw invalid("'scope' must be 'instance' or 'cluster', not '%s'".formatted(scope));
		}
		if (cursor != null && !cluster) {
			throw invalid("'cursor' needs 'scope=cluster'");
		}
		int most = cluster ? MOST_OF_CLUSTER : MOST;
		return new LocksQuery(cluster, (limit != null) ? limit(limit) : most, prefix(prefix, name),
				(cursor != null) ? Cursor.parse(cursor) : Cursor.BEGINNING);
	}

	private static String prefix(@Nullable String prefix, @Nullable String name) {
		if (prefix != null && name != null) {
			throw invalid("'prefix' and 'name' do not go together: name=%s means prefix=%s:".formatted(name, name));
		}
		if (name != null) {
			return name + ":";
		}
		return (prefix != null) ? prefix : "";
	}

	private static int limit(String limit) {
		Long number = OwnerId.toLong(limit);
		if (number == null || number < 1 || number > MOST) {
			throw invalid("'limit' must be a number from 1 to %d, not '%s'".formatted(MOST, limit));
		}
		return number.intValue();
	}

	static @Nullable Long token(@Nullable String token) {
		Long number = (token != null) ? OwnerId.toLong(token) : null;
		if (token != null && number == null) {
			throw invalid("'token' must be the number that is shown for the lock, not '%s'".formatted(token));
		}
		return number;
	}

	static InvalidEndpointRequestException invalid(String message) {
		return new InvalidEndpointRequestException(message, message);
	}

	record Cursor(Map<String, KeyRange> ranges, String after) {

		static final Cursor BEGINNING = new Cursor(Map.of(), "");

		private static final Pattern RANGE = Pattern.compile("(\\w*):(\\d*)-(\\d*),");

		private static final Pattern TEXT = Pattern.compile("((?:" + RANGE + ")*)/(.*)", Pattern.DOTALL);

		static Cursor parse(String text) {
			Matcher parts = TEXT.matcher(decode(text));
			if (!parts.matches()) {
				throw invalid(text);
			}
			Map<String, KeyRange> ranges = new LinkedHashMap<>();
			RANGE.matcher(parts.group(1))
				.results()
				.forEach((range) -> ranges.put(range.group(1), new KeyRange(range.group(2), range.group(3))));
			return new Cursor(ranges, parts.group(parts.groupCount()));
		}

		private static String decode(String text) {
			try {
				return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
			}
			catch (IllegalArgumentException ex) {
				throw invalid(text);
			}
		}

		private static InvalidEndpointRequestException invalid(String text) {
			return LocksQuery.invalid("'cursor' must be that of an earlier answer, not '%s'".formatted(text));
		}

		boolean isAtBeginning() {
			return this.ranges.values().stream().allMatch((range) -> range.from().isEmpty());
		}

		@Override
		public String toString() {
			StringBuilder text = new StringBuilder();
			this.ranges
				.forEach((server, range) -> text.append("%s:%s-%s,".formatted(server, range.from(), range.to())));
			byte[] bytes = text.append('/').append(this.after).toString().getBytes(StandardCharsets.UTF_8);
			return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
		}

	}

}
