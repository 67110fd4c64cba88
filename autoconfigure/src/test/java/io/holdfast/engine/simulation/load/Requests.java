package io.holdfast.engine.simulation.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LockRequest;
import io.holdfast.engine.simulation.schedule.Chance;

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

	/**
	 * Return any request.
	 * @param nested whether the caller is in a section already: then it does not wait for
	 * ever
	 */
	LockRequest any(boolean nested) {
		LockRequest request = terms(LockRequest.of(keys()));
		request = this.chance.below(10) < this.mix.shared() ? request.shared() : request;
		request = this.chance.below(10) < this.mix.fair() ? request.fair() : request;
		request = this.chance.oneIn(5) ? request.ownedByHandle() : request;
		return request.waitFor(waitFor(nested));
	}

	private List<String> keys() {
		List<String> keys = new ArrayList<>(this.mix.keys());
		while (keys.size() > 1 && (keys.size() > 2 || !this.chance.oneIn(4))) {
			keys.remove(this.chance.below(keys.size()));
		}
		return keys;
	}

	private Duration waitFor(boolean nested) {
		return switch (this.chance.below(nested ? 8 : 10)) {
			case 0 -> Duration.ZERO;
			case 1, 2, 3, 4 -> Duration.ofNanos(1 + this.chance.around(this.mix.meanWait()));
			case 5, 6, 7 -> Duration.ofNanos(1 + this.chance.around(10 * this.mix.meanWait()));
			default -> LockRequest.NO_LIMIT;
		};
	}

	private LockRequest terms(LockRequest request) {
		LockRequest odd = request;
		if (this.chance.below(100) < this.mix.odd()) {
			odd = odd.minHold(Duration.ofNanos(this.chance.around(2 * this.mix.meanSection())));
		}
		if (this.chance.below(100) < this.mix.odd()) {
			odd = odd.maxHold(Duration.ofNanos(1 + this.chance.around(2 * this.mix.meanSection())));
		}
		if (this.chance.below(100) < this.mix.odd()) {
			odd = odd.autoRenew(false);
		}
		if (this.chance.below(100) < this.mix.odd()) {
			odd = odd.lease(Duration.ofMillis(this.chance.of(10, 100, 2_000)));
		}
		return odd;
	}

}
