package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LockRequest;

/**
 * Makes requests of all kinds.
 */
final class Requests {

	private final Chance chance;

	private final Mix mix;

	Requests(Chance chance, Mix mix) {
		this.chance = chance;
		this.mix = mix;
	}

	LockRequest any(boolean nested) {
		Mix.Kinds kinds = this.mix.kinds();
		LockRequest request = terms(LockRequest.of(keys()));
		request = this.chance.percent(kinds.shared()) ? shared(request) : request;
		boolean isFair = this.chance.percent(kinds.fair()) && request.keys().size() == 1;
		request = isFair ? request.fair() : request;
		request = this.chance.percent(kinds.byHandle()) ? request.ownedByHandle() : request;
		return request.waitFor(waitFor(nested));
	}

	private LockRequest shared(LockRequest request) {
		int permits = this.mix.kinds().permits();
		return (permits > 0 && this.chance.oneIn(2)) ? request.permits(1 + this.chance.below(permits))
				: request.shared();
	}

	private List<String> keys() {
		List<String> keys = new ArrayList<>(this.mix.keys());
		int wanted = this.chance.percent(this.mix.kinds().several()) ? 2 : 1;
		while (keys.size() > wanted) {
			keys.remove(this.chance.below(keys.size()));
		}
		return keys;
	}

	private Duration waitFor(boolean nested) {
		if (!nested && this.chance.percent(this.mix.kinds().endless())) {
			return LockRequest.NO_LIMIT;
		}
		return switch (this.chance.below(8)) {
			case 0 -> Duration.ZERO;
			case 1, 2, 3, 4 -> Duration.ofNanos(1 + this.chance.around(this.mix.meanWait()));
			default -> Duration.ofNanos(1 + this.chance.around(10 * this.mix.meanWait()));
		};
	}

	private LockRequest terms(LockRequest request) {
		LockRequest odd = request;
		if (this.chance.percent(this.mix.kinds().odd())) {
			odd = odd.minHold(Duration.ofNanos(this.chance.around(2 * this.mix.meanSection())));
		}
		if (this.chance.percent(this.mix.kinds().odd())) {
			odd = odd.maxHold(Duration.ofNanos(1 + this.chance.around(2 * this.mix.meanSection())));
		}
		if (this.chance.percent(this.mix.kinds().odd())) {
			odd = odd.autoRenew(false);
		}
		if (this.chance.percent(this.mix.kinds().odd())) {
			odd = odd.lease(Duration.ofMillis(this.chance.of(10, 100, 2_000)));
		}
		return odd;
	}

}
