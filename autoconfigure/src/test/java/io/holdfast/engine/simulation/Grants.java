package io.holdfast.engine.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the server has granted, and how it ended: what is seen of its keys
 * after each operation.
 */
final class Grants {

	private final Set<Grant> all = new LinkedHashSet<>();

	private final Map<String, NavigableMap<Long, Grant>> byToken = new HashMap<>();

	private final List<Grant> open = new ArrayList<>();

	private final Set<String> withdrawn = new HashSet<>();

	private final Set<StoreCall<?>> carriedOut = Collections.newSetFromMap(new IdentityHashMap<>());

	private @Nullable Checker observer;

	private long calls;

	void observer(Checker observer) {
		this.observer = observer;
	}

	/**
	 * Return what a section holds a key with, or {@code null} if nothing was granted for
	 * it. Sections that follow one another in memory hold it with the grant of the first,
	 * and with a token above that grant's and below the next one's.
	 */
	@Nullable Grant find(String key, String owner, long token) {
		Map.Entry<Long, Grant> latest = this.byToken.getOrDefault(key, Collections.emptyNavigableMap())
			.floorEntry(token);
		return (latest != null && instance(latest.getValue().owner()).equals(instance(owner))) ? latest.getValue()
				: null;
	}

	private static String instance(String owner) {
		return owner.split(":", 2)[0];
	}

	Stream<Grant> ofSameHold(Grant grant) {
		return this.all.stream().filter((other) -> other.call == grant.call && other.owner().equals(grant.owner()));
	}

	long count() {
		return this.all.size();
	}

	void observe(StoreCall<?> call, List<KeyState> states, long now, long serverTime) {
		this.calls++;
		if (call.name().equals("withdraw")) {
			this.withdrawn.add(call.claim());
		}
		boolean stray = !this.carriedOut.add(call) || this.withdrawn.contains(call.claim());
		for (String key : call.keys()) {
			List<Holder> holders = holders(key, states);
			for (Grant grant : List.copyOf(this.open)) {
				if (grant.id.key().equals(key) && !grant.isAmong(holders)) {
					end(grant, grant.endBy(call), call, now);
				}
			}
			holders.forEach((holder) -> granted(key, holder, call.claim(), stray, serverTime));
		}
	}

	void expire(long now, long serverTime) {
		for (Grant grant : List.copyOf(this.open)) {
			if (grant.expires <= serverTime) {
				end(grant, End.EXPIRED, null, now);
			}
		}
	}

	private static List<Holder> holders(String key, List<KeyState> states) {
		return states.stream()
			.filter((state) -> state.key().equals(key))
			.flatMap((state) -> state.holders().stream())
			.filter((holder) -> !holder.kept())
			.toList();
	}

	private void granted(String key, Holder holder, @Nullable String claim, boolean stray, long serverTime) {
		Grant grant = this.byToken.computeIfAbsent(key, (k) -> new TreeMap<>())
			.compute(holder.token(), (token, present) -> (present != null && present.isOf(holder)) ? present
					: new Grant(new Id(key, holder.owner(), token), claim, this.calls, stray));
		this.all.add(grant);
		grant.expires = serverTime + holder.remaining().toNanos();
		if (!this.open.contains(grant)) {
			this.open.add(grant);
			grant.end = null;
		}
	}

	private void end(Grant grant, End end, @Nullable StoreCall<?> call, long now) {
		this.open.remove(grant);
		grant.end = end;
		grant.endedAt = now;
		grant.lost |= end != End.RELEASED;
		if (this.observer != null) {
			this.observer.ended(grant, end, call);
		}
	}

	void dataLost(Function<List<String>, List<KeyState>> look, long now, long serverTime) {
		List<String> keys = this.byToken.keySet().stream().toList();
		List<KeyState> states = look.apply(keys);
		for (Grant grant : List.copyOf(this.open)) {
			if (!grant.isAmong(holders(grant.id.key(), states))) {
				end(grant, End.DATA_LOST, null, now);
			}
		}
		keys.forEach((key) -> holders(key, states).forEach((holder) -> granted(key, holder, null, true, serverTime)));
	}

	/**
	 * How a grant ended: by an operation that names it, with its lease, by an operator,
	 * with the server's data, or by an operation that does not name it.
	 */
	enum End {

		RELEASED, EXPIRED, FORCED, DATA_LOST, REPLACED

	}

	private record Id(String key, String owner, long token) {
	}

	static final class Grant {

		private final Id id;

		private final @Nullable String claim;

		private final long call;

		/**
		 * Whether nobody expected it: its request had been carried out or withdrawn
		 * before, which the server knows for a while only.
		 */
		final boolean stray;

		private long expires;

		@Nullable End end;

		long endedAt;

		/**
		 * Whether it has ever ended otherwise than by an operation that names it, even if
		 * a fail-over has brought it back.
		 */
		boolean lost;

		private Grant(Id id, @Nullable String claim, long call, boolean stray) {
			this.id = id;
			this.claim = claim;
			this.call = call;
			this.stray = stray;
		}

		String key() {
			return this.id.key();
		}

		String owner() {
			return this.id.owner();
		}

		long token() {
			return this.id.token();
		}

		private boolean isAmong(List<Holder> holders) {
			return holders.stream().anyMatch(this::isOf);
		}

		// It may have been passed on within its instance
		private boolean isOf(Holder holder) {
			return holder.token() == this.id.token() && instance(holder.owner()).equals(instance(this.id.owner()));
		}

		private End endBy(StoreCall<?> call) {
			if (call.name().equals("force")) {
				return End.FORCED;
			}
			boolean named = call.ends(this.id.key(), this.id.owner(), this.id.token())
					|| (call.name().equals("withdraw") && Objects.equals(call.claim(), this.claim));
			return named ? End.RELEASED : End.REPLACED;
		}

		@Override
		public String toString() {
			return this.id + ((this.end != null) ? " " + this.end : "");
		}

	}

}
