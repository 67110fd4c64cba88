package io.holdfast.differential;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.WakeUpListener;

/**
 * What an instance is told.
 */
final class WakeUps implements WakeUpListener {

	private static final long PATIENCE_SECONDS = 60;

	private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();

	@Override
	public void wakeUp(String key, String placeId) {
		this.told.add(new Told("wakes " + placeId + " for ", key, 0));
	}

	@Override
	public void wakeUpAll() {
		// when the subscription begins
	}

	@Override
	public void forceReleased(HoldId hold) {
		Grant grant = hold.grants().get(0);
		this.told.add(new Told("tells " + hold.owner() + " the loss of ", grant.key(), grant.token()));
	}

	@Override
	public void wanted(String key, boolean fair) {
		this.told.add(new Told(fair ? "tells who goes next on " : "tells who waits for ", key, 0));
	}

	List<String> take(Tokens tokens) {
		List<String> all = new ArrayList<>();
		for (Told next = next(); !next.key().equals(Side.END); next = next()) {
			all.add(next.what() + next.key() + ((next.token() > 0) ? "@" + tokens.name(next.key(), next.token()) : ""));
		}
		Collections.sort(all);
		return all;
	}

	private Told next() {
		try {
			Told next = this.told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
			if (next == null) {
				throw new IllegalStateException("Messages do not arrive any more");
			}
			return next;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Something that was told.
	 *
	 * @param what what it is, and for whom
	 * @param key the key that it is about
	 * @param token the token that it is about, or zero
	 */
	private record Told(String what, String key, long token) {

	}

}
