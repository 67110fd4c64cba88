package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * What an episode is like.
 *
 * @param pace how threads run
 * @param kind what the store is like
 * @param weather how the network behaves
 * @param faults what happens now and then
 * @param mix what callers ask for
 * @param instances how many instances there are
 * @param callers how many callers each has
 * @param poll longest time between two attempts of a waiter
 */
record Plan(Scheduler.Pace pace, SimStore.Kind kind, Weather weather, Set<Fault> faults, Mix mix, int instances,
		int callers, Duration poll) {

	private static final long MICROS = 1_000;

	private static final int MOST_CALLERS = 12;

	private static final Duration USUAL_POLL = Duration.ofMillis(450);

	/**
	 * So long that callers go on only when they are woken.
	 */
	private static final Duration NO_POLL = Duration.ofHours(1);

	/**
	 * Return any plan. In a third of them nothing goes wrong, so that nothing is an
	 * excuse.
	 */
	static Plan any(Chance chance) {
		boolean calm = chance.oneIn(3);
		Scheduler.Pace pace = new Scheduler.Pace(chance.of(1_000, 5_000, 40_000), (int) chance.of(0, 0, 50, 500),
				(int) chance.of(0, 100, 1_000), chance.of(500, 3_000, 20_000) * MICROS);
		SimStore.Kind kind = new SimStore.Kind(chance.oneIn(4), chance.oneIn(4));
		Weather weather = calm ? Weather.calm(chance) : Weather.stormy(chance);
		Set<Fault> faults = EnumSet.noneOf(Fault.class);
		Arrays.stream(Fault.values()).filter((fault) -> chance.oneIn(calm ? 0 : 4)).forEach(faults::add);
		if (chance.oneIn(3)) {
			faults.add(Fault.INTERRUPT);
		}
		Mix mix = Mix.any(chance, weather.roundTrip());
		int instances = (int) chance.of(2, 2, 3, 4);
		boolean polls = !calm || chance.oneIn(2);
		return new Plan(pace, kind, weather, faults, polls ? mix : mix.plain(), instances,
				chance.between(2, MOST_CALLERS / instances), polls ? USUAL_POLL : NO_POLL);
	}

	long callTime() {
		boolean calm = !this.weather.isRough() && this.faults.stream().noneMatch(Fault::isOfServer);
		return calm
				? Math.min(this.weather.clientTimeout(), 2 * this.weather.leastDelay() + 20 * this.weather.meanDelay())
				: this.weather.clientTimeout();
	}

	boolean losesAnswers() {
		return this.weather.isRough() || this.weather.clientTimeout() <= callTime();
	}

}
