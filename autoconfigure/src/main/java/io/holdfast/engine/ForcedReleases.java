package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.LockMode;
import io.holdfast.LogText;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.StoreView.ForcedRelease;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks that operators release by force, here or elsewhere. A holder has lost its lock
 * only when the store confirms it: the message may be late or false.
 */
final class ForcedReleases {

	private static final String REASON = "an operator has released it";

	// How often an unknown hold is looked up, at growing intervals: for a second or two
	private static final int MOST_LOOKS = 6;

	// How many holders of a shared lock get a line of their own in the log
	private static final int MOST_LINES = 100;

	private static final Logger logger = LoggerFactory.getLogger(ForcedReleases.class);

	private final LockStore store;

	private final Owner.Factory owners;

	private final Holds holds;

	private final Renewals renewals;

	private final StoreThreads threads;

	ForcedReleases(LockStore store, Owner.Factory owners, Holds holds, Renewals renewals, StoreThreads threads) {
		this.store = store;
		this.owners = owners;
		this.holds = holds;
		this.renewals = renewals;
		this.threads = threads;
	}

	ForcedRelease release(String key, @Nullable Long token, Duration within) {
		ForcedRelease release;
		try {
			release = this.store.view().forceRelease(key, tokenInStore(key, token), within);
		}
		catch (LockStoreException ex) {
			logger.atWarn()
				.addKeyValue("key", key)
				.addKeyValue("token", token)
				.log("Lock '{}' may have been released by force: {}", LogText.of(key), LogText.of(ex.getMessage()));
			throw ex;
		}
		log(release);
		release.released()
			.stream()
			.filter((holder) -> holder.owner().startsWith(this.owners.instanceId() + ":"))
			.forEach((holder) -> checkSoon(new HoldId(key, holder.owner(), holder.token())));
		return release;
	}

	// Differs from the hold's token if the hold was passed on
	private @Nullable Long tokenInStore(String key, @Nullable Long token) {
		return this.holds.all()
			.stream()
			.filter((hold) -> token != null && hold.isPassedOn() && hold.id().grants().contains(new Grant(key, token)))
			.map((hold) -> hold.grant().id().grants().get(0).token())
			.findFirst()
			.orElse(token);
	}

	private void log(ForcedRelease release) {
		KeyState before = release.before();
		int count = release.released().size();
		release.released().stream().limit(MOST_LINES).forEach((holder) -> log(before, holder));
		if (count > MOST_LINES) {
			logger.atWarn()
				.addKeyValue("key", before.key())
				.log("Lock '{}' was released by force: {} more shared it", LogText.of(before.key()),
						count - MOST_LINES);
		}
	}

	private void log(KeyState before, Holder holder) {
		String key = before.key();
		logger.atWarn()
			.addKeyValue("key", key)
			.addKeyValue("owner", holder.owner())
			.addKeyValue("token", holder.token())
			.log("Lock '{}' of {} was released by force: {} lock, {}; token {}, hold count {}, {} ms of its lease left",
					LogText.of(key), LogText.of(this.holds.nameOf(holder.owner(), List.of(key), null)),
					(before.mode() == LockMode.SHARED) ? "shared" : "exclusive",
					holder.kept() ? "kept by minHold" : "in use", holder.token(), holder.holdCount(),
					holder.remaining().toMillis());
	}

	// It may not be in the books yet: the message can overtake the reply to the request
	// that the hold was granted for
	void checkSoon(HoldId released) {
		AtomicInteger looks = new AtomicInteger();
		this.threads.repeat(released.keys(), () -> {
			Hold hold = find(released);
			boolean found = hold != null && isSettled(hold) && !hold.hasPassed();
			return found || (hold == null && looks.incrementAndGet() == MOST_LOOKS);
		});
	}

	private @Nullable Hold find(HoldId released) {
		return this.holds.all()
			.stream()
			.filter((hold) -> hold.isOpen() && hold.grant().id().grants().containsAll(released.grants()))
			.findFirst()
			.orElse(null);
	}

	// Ask until the store answers or the hold ends: at the end of its lease at the
	// latest, since it is not renewed any more
	private boolean isSettled(Hold hold) {
		return !hold.isOpen() || hold.lease().isOver() || this.renewals.renew(List.of(hold), REASON);
	}

}
