package io.holdfast.engine.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.holdfast.engine.simulation.load.Mix;
import io.holdfast.engine.simulation.schedule.Chance;
import io.holdfast.engine.simulation.schedule.Scheduler;
import io.holdfast.engine.simulation.store.SimStores;
import io.holdfast.engine.simulation.store.Weather;
import org.jspecify.annotations.Nullable;

/**
 * What an episode is like.
 *
 * @param pace how threads run
 * @param kind what the store is like
 * @param weather how the network behaves, or {@code null} when the store is called
 * directly
 * @param faults what happens now and then
 * @param mix what callers ask for
 * @param instances how many instances there are
 * @param callers how many callers each has
 * @param poll longest time between two attempts of a waiter
 * @param errors once in how many requests an {@code Error} is thrown; never if that is
 * zero
 */
record Plan(Scheduler.Pace pace, SimStores.Kind kind, @Nullable Weather weather, Set<Fault> faults, Mix mix,
		int instances, int callers, Duration poll, int errors) {

	private static final long MICROS = 1_000;

	private static final int MOST_CALLERS = 12;

	private static final long DIRECT_CALL = 100 * MICROS;

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
		boolean direct = chance.oneIn(4);
		Scheduler.Pace pace = new Scheduler.Pace(chance.of(1_000, 5_000, 40_000), (int) chance.of(0, 0, 50, 500),
				(int) chance.of(0, 100, 1_000), chance.of(500, 3_000, 20_000) * MICROS);
		SimStores.Kind kind = new SimStores.Kind(chance.oneIn(4), chance.oneIn(4));
		Weather weather = direct ? null : calm ? Weather.calm(chance) : Weather.stormy(chance);
		Set<Fault> faults = EnumSet.noneOf(Fault.class);
		Fault.all(direct).stream().filter((fault) -> chance.oneIn(calm ? 0 : 4)).forEach(faults::add);
		if (chance.oneIn(3)) {
			faults.add(Fault.INTERRUPT);
		}
		Mix mix = Mix.any(chance, (weather != null) ? weather.roundTrip() : DIRECT_CALL);
		int instances = (int) chance.of(2, 2, 3, 4);
		boolean polls = !calm || chance.oneIn(2);
		return new Plan(pace, kind, weather, faults, polls ? mix : mix.plain(), instances,
				chance.between(2, MOST_CALLERS / instances), polls ? USUAL_POLL : NO_POLL,
				polls ? (int) chance.of(0, 0, 0, 30, 300) : 0);
	}

	/**
	 * Return how long a call of the store takes at most.
	 */
	long callTime() {
		if (this.weather == null) {
			return MICROS * MICROS;
		}
		boolean calm = !this.weather.isRough() && this.faults.stream().noneMatch(Fault::isOfServer);
		return calm
				? Math.min(this.weather.clientTimeout(), 2 * this.weather.leastDelay() + 20 * this.weather.meanDelay())
				: this.weather.clientTimeout();
	}

	boolean losesAnswers() {
		return this.weather != null && (this.weather.isRough() || this.weather.clientTimeout() <= callTime());
	}

}
