package io.holdfast.differential;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Makes the same calls on two stores, until one answers what the other does not, or tells
 * an instance something else.
 */
final class Comparison {

	/**
	 * After how many calls what instances have been told is compared, as the messages of
	 * Redis have to be waited for.
	 */
	private static final int INTERVAL = 100;

	private final Side one;

	private final Side other;

	private long calls;

	Comparison(Side one, Side other) {
		this.one = one;
		this.other = other;
	}

	long calls() {
		return this.calls;
	}

	@Nullable Difference find(Function<Tokens, Iterator<Call>> calls) {
		Difference difference = find(calls, INTERVAL);
		Difference exact = (difference != null) ? find(difference.calls()) : null;
		return (exact != null) ? shortest(exact) : difference;
	}

	private Difference shortest(Difference difference) {
		Difference shortest = difference;
		for (int part = difference.calls().size() / 2; part > 0; part /= 2) {
			for (int from = shortest.calls().size() - part; from >= 0; from -= part) {
				List<Call> fewer = new ArrayList<>(shortest.calls());
				fewer.subList(from, Math.min(from + part, fewer.size())).clear();
				Difference found = find(fewer);
				shortest = (found != null) ? found : shortest;
				from = Math.min(from, shortest.calls().size());
			}
		}
		return shortest;
	}

	private @Nullable Difference find(List<Call> calls) {
		return find((tokens) -> calls.iterator(), 1);
	}

	private @Nullable Difference find(Function<Tokens, Iterator<Call>> calls, int interval) {
		this.one.begin();
		this.other.begin();
		List<Call> made = new ArrayList<>();
		for (Iterator<Call> left = calls.apply(this.one.tokens()); left.hasNext();) {
			Call call = left.next();
			made.add(call);
			this.calls++;
			Difference difference = compare(made, call);
			if (difference == null && (made.size() % interval == 0 || !left.hasNext())) {
				difference = compareWakeUps(made);
			}
			if (difference != null) {
				return difference;
			}
		}
		return null;
	}

	private @Nullable Difference compare(List<Call> made, Call call) {
		Answer answer = this.one.answer(call);
		Answer otherAnswer = this.other.answer(call);
		return (answer.equals(otherAnswer) || isAlike(call, answer, otherAnswer)) ? null
				: new Difference(made, answer.toString(), otherAnswer.toString());
	}

	private boolean isAlike(Call call, Answer answer, Answer otherAnswer) {
		return call.claim() != null && answer.text().equals(otherAnswer.text()) && answer.holder() != null
				&& otherAnswer.holder() != null && this.one.isShared(call.claim().keys(), answer.holder())
				&& this.other.isShared(call.claim().keys(), otherAnswer.holder());
	}

	private @Nullable Difference compareWakeUps(List<Call> made) {
		List<String> told = this.one.takeWakeUps();
		List<String> otherTold = this.other.takeWakeUps();
		boolean alike = !this.other.sendsMessages() || told.equals(otherTold);
		return alike ? null : new Difference(made, told.toString(), otherTold.toString());
	}

	/**
	 * What differs.
	 *
	 * @param calls the calls that lead to it
	 * @param answer what one store answered the last of them, or told instances
	 * @param otherAnswer what the other did
	 */
	record Difference(List<Call> calls, String answer, String otherAnswer) {

		@Override
		public String toString() {
			StringBuilder text = new StringBuilder();
			this.calls.forEach((call) -> text.append("\n  ").append(call));
			return text + "\nleads to\n  " + this.answer + "\n  " + this.otherAnswer;
		}

	}

}
