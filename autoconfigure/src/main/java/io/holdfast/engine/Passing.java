package io.holdfast.engine;

/**
 * Decides who gets the lock of a line when a section ends. Guarded by the line.
 *
 * <p>
 * Callers of this instance pass the lock among themselves. Once other instances are known
 * to wait, they do so only a certain number of times in a row.
 */
final class Passing {

	enum Next {

		// The next caller enters without the store being asked
		PASS,

		// The store hands the lock on to the next caller, unless another instance goes
		// first
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

	private Others others = Others.NONE;

	private int handoffs;

	private boolean sectionsAreBrief;

	Passing(EngineSettings settings, MonotonicClock clock) {
		this.settings = settings;
		this.clock = clock;
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

}
