package io.holdfast.engine;

import io.holdfast.engine.Claimant.Question;
import org.jspecify.annotations.Nullable;

/**
 * Where the lock of a {@link Line} is, as far as the line knows.
 *
 * <pre class="code">
 * from                 by                                            to
 * -------------------  --------------------------------------------  -----------------
 * IDLE                 the first caller asks                         ASKING
 * ASKING               denied, no answer                             IDLE
 * ASKING               granted                                       INSIDE
 * ASKING               granted to a caller that has left or is late  GRANTED
 * GRANTED              the caller that it was granted to enters      INSIDE
 * GRANTED              another caller asks, for a transfer           ASKING
 * INSIDE               passed on in memory                           INSIDE (the next)
 * INSIDE               another caller waits: handed on               HANDING ON
 * HANDING ON           granted to the next caller                    GRANTED
 * HANDING ON           another instance goes first, not held, no     IDLE
 *                      answer
 * INSIDE, HANDING ON   released, lost                                IDLE
 * GRANTED              its lease is over                             IDLE
 * IDLE, GRANTED,       the last caller leaves                        RETIRED
 * HANDING ON
 * </pre>
 *
 * The thread that asks the store does so without the lock that guards the line. When the
 * answer comes, it finds out by the state whether the line has gone on without it.
 */
sealed interface LineState {

	LineState IDLE = new Idle();

	LineState RETIRED = new Retired();

	// The first caller may enter or ask
	default boolean isOpen() {
		return false;
	}

	default boolean mayRetire() {
		return isOpen();
	}

	default @Nullable Hold hold() {
		return null;
	}

	default @Nullable OwnGrant grant() {
		return null;
	}

	default boolean isAskingFor(Acquisition caller) {
		return false;
	}

	record Idle() implements LineState {

		@Override
		public boolean isOpen() {
			return true;
		}

	}

	// The grant is what is to be transferred to the caller
	record Asking(Acquisition caller, @Nullable OwnGrant grant) implements LineState {

		@Override
		public boolean isAskingFor(Acquisition other) {
			return this.caller == other;
		}

	}

	record Granted(OwnGrant grant) implements LineState {

		@Override
		public boolean isOpen() {
			return true;
		}

	}

	record Inside(Hold hold) implements LineState {
	}

	// Its answer is not waited for if all callers leave
	record HandingOn(Hold hold, Question question) implements LineState {

		@Override
		public boolean mayRetire() {
			return true;
		}

	}

	record Retired() implements LineState {
	}

}
