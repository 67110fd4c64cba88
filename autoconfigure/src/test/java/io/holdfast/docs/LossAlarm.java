package io.holdfast.docs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.LockLostEvent;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

// snippet: lock-lost-event
@Component
class LossAlarm {

	final List<String> raised = new CopyOnWriteArrayList<>();

	@EventListener
	void raise(LockLostEvent event) {
		this.raised.addAll(event.lock().keys());
	}

}
// end
