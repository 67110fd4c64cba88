package io.holdfast.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.holdfast.LockMode;
import io.holdfast.rules.LockState;
import io.holdfast.rules.LockState.Share;
import org.jspecify.annotations.Nullable;

/**
 * What the table has of a lock. A lock that is free, or has one exclusive holder and no
 * waiters, is in columns alone; every other one is in the text, and columns show what
 * they can of it.
 *
 * @param holder the first holder, or {@code null}
 * @param claim the claim that was granted to it
 * @param mode the mode of the holders
 * @param token the token of the first holder, or the last one of all
 * @param holds the count of the first holder
 * @param leaseEnd the latest end of a lease
 * @param released token and holder of the hold that was released last
 * @param state the rest
 */
record LockRow(@Nullable String holder, @Nullable String claim, @Nullable String mode, long token, int holds,
		@Nullable LocalDateTime leaseEnd, @Nullable String released, @Nullable String state) {

	static final String COLUMNS = "holder, claim, mode, token, holds, lease_end, released, state";

	private static final LocalDateTime EPOCH = LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC);

	/**
	 * Longer than any release is repeated.
	 */
	private static final Duration RELEASE_REMEMBERED = Duration.ofDays(1);

	static LockRow of(LockState lock, @Nullable String key) {
		Share first = lock.isHeld() ? lock.shares().get(0) : null;
		Share released = lock.released();
		boolean inColumns = key == null && isInColumns(lock, first);
		return new LockRow((first != null) ? shown(first) : null,
				(first != null && !first.claim().isEmpty()) ? first.claim() : null,
				(first != null) ? StateText.text(lock.mode()) : null,
				(first != null) ? first.token() : lock.lastToken(), (first != null) ? first.count() : 0,
				(first != null) ? time(latest(lock.shares().stream().mapToLong(Share::ends))) : null,
				(released != null) ? released(released.token(), released.holder()) : null,
				inColumns ? null : StateText.of(lock, key));
	}

	private static boolean isInColumns(LockState lock, @Nullable Share first) {
		boolean simple = first == null || (lock.mode() == LockMode.EXCLUSIVE && lock.permits() == 0 && !first.passable()
				&& first.passedTo() == null && first.token() == lock.lastToken());
		return simple && lock.shares().size() < 2 && lock.queue().isEmpty() && lock.refused().isEmpty();
	}

	private static String shown(Share share) {
		return (share.passedTo() != null) ? share.passedTo() : share.holder();
	}

	static String released(long token, String holder) {
		return token + "@" + holder;
	}

	static LockRow read(ResultSet row) throws SQLException {
		return new LockRow(row.getString("holder"), row.getString("claim"), row.getString("mode"), row.getLong("token"),
				row.getInt("holds"), row.getObject("lease_end", LocalDateTime.class), row.getString("released"),
				row.getString("state"));
	}

	LockState toState(long now) {
		Share last = (this.released != null) ? release(this.released, now) : null;
		if (this.state != null) {
			return StateText.parse(this.state, last);
		}
		List<Share> shares = (this.holder != null)
				? List.of(new Share(this.holder, Objects.requireNonNullElse(this.claim, ""), this.token, this.holds,
						nanos(Objects.requireNonNull(this.leaseEnd)), false, null))
				: List.of();
		return new LockState(LockMode.EXCLUSIVE, 0, shares, List.of(), Map.of(), last, this.token);
	}

	private static Share release(String released, long now) {
		int end = released.indexOf('@');
		return new Share(released.substring(end + 1), "", Long.parseLong(released.substring(0, end)), 1,
				now + RELEASE_REMEMBERED.toNanos(), false, null);
	}

	/**
	 * Return the time from which nothing but the last token of a lock counts.
	 */
	static LocalDateTime unusedFrom(LockState lock, long now) {
		LongStream times = Stream
			.of(lock.shares().stream().map(Share::ends), lock.queue().stream().map(LockState.Place::deadline),
					lock.refused().values().stream(), Stream.of(now))
			.flatMap((all) -> all)
			.mapToLong(Long::longValue);
		return time(latest(times));
	}

	private static long latest(LongStream times) {
		return times.max().orElseThrow();
	}

	static long nanos(LocalDateTime time) {
		return EPOCH.until(time, ChronoUnit.NANOS);
	}

	// As precise as databases have it: not before
	private static LocalDateTime time(long nanos) {
		return EPOCH.plusNanos(nanos).plusNanos(999).truncatedTo(ChronoUnit.MICROS);
	}

}
