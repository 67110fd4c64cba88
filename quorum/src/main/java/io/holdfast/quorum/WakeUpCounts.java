package io.holdfast.quorum;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts which nodes have woken a waiter since its last attempt. Before a quorum has, an
 * attempt would fail.
 */
final class WakeUpCounts {

	// How many places are remembered. A waiter whose counts are forgotten polls
	private static final int MOST = 10_000;

	private final Map<Place, BitSet> counts = new LinkedHashMap<>() {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<Place, BitSet> eldest) {
			return size() > MOST;
		}

	};

	private final int needed;

	WakeUpCounts(int needed) {
		this.needed = needed;
	}

	synchronized void clear(List<String> keys, String placeId) {
		keys.forEach((key) -> this.counts.remove(new Place(key, placeId)));
	}

	synchronized boolean add(String key, String placeId, int node) {
		Place place = new Place(key, placeId);
		BitSet nodes = this.counts.computeIfAbsent(place, (fresh) -> new BitSet());
		nodes.set(node);
		if (nodes.cardinality() < this.needed) {
			return false;
		}
		this.counts.remove(place);
		return true;
	}

	private record Place(String key, String id) {
	}

}
