package io.holdfast.engine.simulation.store;

import java.util.ArrayList;
import java.util.List;

import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.engine.simulation.schedule.Scheduler;

/**
 * Calls the store on the thread that asks, which also tells other instances of wake-ups,
 * as a store in memory does.
 */
final class DirectLink implements Link {

	private final Scheduler scheduler;

	private final SimServer server;

	private final String instanceId;

	DirectLink(Scheduler scheduler, SimServer server, String instanceId) {
		this.scheduler = scheduler;
		this.server = server;
		this.instanceId = instanceId;
	}

	@Override
	public <T> T send(StoreCall<T> call) {
		this.scheduler.pass();
		this.server.sent(call);
		List<Runnable> wakeUps = new ArrayList<>();
		T answer = this.scheduler.atomically(() -> this.server.execute(this.instanceId, call, wakeUps::add));
		this.scheduler.pass();
		wakeUps.forEach(Runnable::run);
		this.scheduler.note(call + " = " + answer);
		return answer;
	}

	@Override
	public void listen(WakeUpListener listener) {
		if (!this.server.isListening(this.instanceId)) {
			this.server.listen(this.instanceId, listener);
			listener.wakeUpAll();
		}
	}

	@Override
	public void stopListening() {
		this.server.stopListening(this.instanceId);
	}

	@Override
	public Subscription subscription() {
		return this.server.isListening(this.instanceId) ? Subscription.ACTIVE : Subscription.IDLE;
	}

}
