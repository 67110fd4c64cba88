package io.holdfast.engine;

import io.holdfast.engine.Claimant.Question;
import io.holdfast.engine.LockStore.Answer;
import io.holdfast.engine.LockStore.Granted;
import org.jspecify.annotations.Nullable;

/**
 * Decides who gets the lock of a line when a section ends. Guarded by the line.
 *
 * <p>
 * Callers of this instance pass the lock among themselves, under one grant of the store
 * while that was confirmed recently. Once other instances are known to wait, they do so
 * only a certain number of times in a row.
 */
final class Sections {

	enum Next {

		// The next caller enters without the store being asked
		PASS,

		// The store hands the lock on to the next caller, unless another instance goes
		// first
		HAND_ON,

		RELEASE

	}

	// What is known of other instances that want the lock
	private enum Others {

		NONE, WAIT, GO_NEXT

	}

	private final EngineSettings settings;

	private final MonotonicClock clock;

	private Others others = Others.NONE;

	// Under which the lock was handed on so many times
	private @Nullable OwnClaim claim;

	private int handoffs;

	Sections(EngineSettings settings, MonotonicClock clock) {
		this.settings = settings;
		this.clock = clock;
	}

	Next next(Hold leaving, @Nullable Acquisition first, OwnClaim claim) {
		if (first == null) {
			return Next.RELEASE;
		}
		return (mayPass(leaving, first) && !othersGoFirst(claim)) ? Next.PASS : Next.HAND_ON;
	}

	private boolean mayPass(Hold leaving, Acquisition first) {
		return this.settings.localHandoffs() > 0 && !first.isOver() && leaving.terms().minHold().isZero()
				&& first.terms().mayShareGrant() && first.terms().lease().equals(leaving.grant().lasts())
				&& leaving.grant().mayPass(this.clock.nanos(), this.settings.handoverCheck());
	}

	private boolean othersGoFirst(OwnClaim claim) {
		return this.others == Others.GO_NEXT || (this.others == Others.WAIT && isOthersTurn(claim));
	}

	// The store knows whether another instance waits
	boolean isOthersTurn(OwnClaim claim) {
		return handoffs(claim) >= this.settings.localHandoffs();
	}

	private int handoffs(OwnClaim claim) {
		return (this.claim == claim) ? this.handoffs : 0;
	}

	void handedOn(OwnClaim claim) {
		this.handoffs = (this.others != Others.NONE) ? handoffs(claim) + 1 : 0;
		this.claim = claim;
	}

	void answered(Question question, Answer answer, @Nullable OwnGrant granted) {
		if (answer instanceof Granted grant && grant.othersWait()) {
			wanted(false);
		}
		if (granted != null && question.transferred() != null) {
			handedOn(question.claim());
		}
	}

	void wanted(boolean next) {
		if (next) {
			this.others = Others.GO_NEXT;
		}
		else if (this.others == Others.NONE) {
			this.others = Others.WAIT;
		}
	}

	// The store is asked, and says who else waits
	void asked() {
		this.others = Others.NONE;
	}

}
