package io.holdfast.engine;

/**
 * Decides who gets the lock of a line when a section ends. Guarded by the line.
 *
 * <p>
 * Callers of this instance pass the lock among themselves. Once other instances are known
 * to wait, they do so only a certain number of times in a row. Without a next caller, the
 * lock may be retained.
 */
final class Passing {

	enum Next {

		// The next caller enters without the store being asked
		PASS,

		// The lock stays here without a caller, as the store shows it already
		RETAIN,

		// The store hands the lock on to the next caller, or to this instance to retain
		// it, unless another instance goes first
		HAND_ON,

		RELEASE

	}

	/**
	 * What is known of other instances that want the lock.
	 */
	private enum Others {

		NONE, WAIT, GO_NEXT

	}

	private final EngineSettings settings;

	private final MonotonicClock clock;

	private final Retention retention;

	private Others others = Others.NONE;

	private int handoffs;

	private boolean sectionsAreBrief;

	private volatile boolean retained;

	private volatile long retainedUntil;

	Passing(EngineSettings settings, MonotonicClock clock, Retention retention) {
		this.settings = settings;
		this.clock = clock;
		this.retention = retention;
	}

	Next next(Hold leaving) {
		if (!mayRetain(leaving.terms())) {
			return Next.RELEASE;
		}
		return (mayPass(leaving) && leaving.grant().isRetained()) ? Next.RETAIN : Next.HAND_ON;
	}

	Next next(Hold leaving, Terms waiting) {
		boolean isSame = waiting.mayShareGrant() && leaving.terms().minHold().isZero()
				&& waiting.lease().equals(leaving.grant().lasts());
		return (isSame && !othersGoFirst() && mayPass(leaving)) ? Next.PASS : Next.HAND_ON;
	}

	private boolean mayPass(Hold leaving) {
		return this.others != Others.GO_NEXT
				&& leaving.grant().mayPass(this.clock.nanos(), this.settings.handoverCheck());
	}

	private boolean mayRetain(Terms terms) {
		return !terms.retain().isZero() && this.others == Others.NONE && this.retention.isAllowed();
	}

	private boolean othersGoFirst() {
		return this.others != Others.NONE && isOthersTurn();
	}

	// The store knows whether another instance waits
	boolean isOthersTurn() {
		return this.handoffs >= this.settings.localHandoffs();
	}

	// A claim that has just begun has not been handed on
	void restart() {
		this.handoffs = 0;
	}

	void passed(Hold left) {
		this.sectionsAreBrief = left.heldFor().toNanos() < Sleeper.MOMENT;
		handedOn();
	}

	void handedOn() {
		this.handoffs = (this.others != Others.NONE) ? this.handoffs + 1 : 0;
	}

	boolean isBrief() {
		return this.sectionsAreBrief;
	}

	boolean isBriefAgain() {
		return this.sectionsAreBrief && !othersGoFirst();
	}

	void wanted(boolean next) {
		if (next) {
			this.others = Others.GO_NEXT;
		}
		else if (this.others == Others.NONE) {
			this.others = Others.WAIT;
		}
	}

	void forgetOthers() {
		this.others = Others.NONE;
	}

	// Others may have come while it was handed on
	void retainIfAllowed(OwnGrant grant, Terms terms) {
		if (mayRetain(terms)) {
			retain(grant, terms);
		}
	}

	// While a third of the lease is left, the next caller can still have it renewed
	void retain(OwnGrant grant, Terms terms) {
		long asked = this.clock.nanos() + MonotonicClock.toNanos(terms.retain());
		long renewable = grant.lease().deadline() - MonotonicClock.toNanos(grant.lasts()) / 3;
		this.retainedUntil = MonotonicClock.earlier(asked, renewable);
		this.retained = true;
	}

	void endRetention() {
		this.retained = false;
	}

	boolean isRetained() {
		return this.retained;
	}

	long retainedUntil() {
		return this.retainedUntil;
	}

}
