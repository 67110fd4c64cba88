package io.holdfast.engine.simulation;

import java.util.HashMap;
import java.util.Map;

/**
 * What lies between instances and the server. Nothing arrives at once, or in the order in
 * which it was sent; and not all of it once.
 */
final class Network {

	private static final int MOST_DELAYS = 100;

	private final Scheduler scheduler;

	private final Chance chance;

	private final Weather weather;

	private final Map<String, Long> cutOffUntil = new HashMap<>();

	private long frozenUntil;

	private boolean calm;

	Network(Scheduler scheduler, Chance chance, Weather weather) {
		this.scheduler = scheduler;
		this.chance = chance;
		this.weather = weather;
	}

	long clientTimeout() {
		return this.weather.clientTimeout();
	}

	/**
	 * Take a request to the server, maybe not at all, maybe late, maybe twice.
	 * @param connectionLost tells the client that it will get no reply: it may be told
	 */
	void carryRequest(String instanceId, Runnable request, Runnable connectionLost) {
		if (isLost(instanceId, this.weather.lostRequests())) {
			tell(connectionLost);
			return;
		}
		deliver(request);
		if (happens(this.weather.repeatedRequests())) {
			this.scheduler.note("request goes twice");
			deliver(request);
		}
	}

	private void deliver(Runnable request) {
		long arrival = this.scheduler.now() + delay();
		if (happens(this.weather.lateRequests())) {
			arrival += this.chance.around(this.weather.clientTimeout());
		}
		this.scheduler.at(Math.max(arrival, this.frozenUntil), () -> arrive(request));
	}

	private void arrive(Runnable request) {
		if (this.scheduler.now() < this.frozenUntil) {
			this.scheduler.at(this.frozenUntil, () -> arrive(request));
		}
		else {
			request.run();
		}
	}

	void carryReply(String instanceId, Runnable reply, Runnable connectionLost) {
		if (isLost(instanceId, this.weather.lostReplies())) {
			tell(connectionLost);
		}
		else {
			this.scheduler.at(this.scheduler.now() + delay(), reply);
		}
	}

	private void tell(Runnable connectionLost) {
		if (happens(2)) {
			this.scheduler.at(this.scheduler.now() + delay(), connectionLost);
		}
	}

	void carryMessage(String instanceId, Runnable message) {
		if (!isLost(instanceId, this.weather.lostMessages())) {
			this.scheduler.at(this.scheduler.now() + delay(), message);
		}
		if (happens(this.weather.repeatedMessages())) {
			this.scheduler.at(this.scheduler.now() + delay(), message);
		}
	}

	void carrySafely(String instanceId, Runnable message) {
		long from = Math.max(this.scheduler.now(), this.cutOffUntil.getOrDefault(instanceId, 0L));
		this.scheduler.at(Math.max(from, this.frozenUntil) + delay(), message);
	}

	private boolean isLost(String instanceId, int oneIn) {
		boolean lost = this.scheduler.now() < this.cutOffUntil.getOrDefault(instanceId, 0L) || happens(oneIn);
		if (lost) {
			this.scheduler.note("lost on the way");
		}
		return lost;
	}

	private boolean happens(int oneIn) {
		return !this.calm && this.chance.oneIn(oneIn);
	}

	private long delay() {
		long delay = this.weather.leastDelay() + this.chance.around(this.weather.meanDelay());
		return happens(this.weather.longDelays()) ? delay * this.chance.below(MOST_DELAYS) : delay;
	}

	void cutOff(String instanceId, long nanos) {
		this.cutOffUntil.put(instanceId, this.scheduler.now() + nanos);
	}

	void freezeServer(long nanos) {
		this.frozenUntil = this.scheduler.now() + nanos;
	}

	boolean isCut() {
		long now = this.scheduler.now();
		return this.frozenUntil > now || this.cutOffUntil.values().stream().anyMatch((until) -> until > now);
	}

	void calm() {
		this.calm = true;
		this.cutOffUntil.clear();
	}

}
