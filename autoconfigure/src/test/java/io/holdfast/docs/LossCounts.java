package io.holdfast.docs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.LockListener;
import io.holdfast.LockSnapshot;

import org.springframework.stereotype.Component;

// snippet: lock-listener
@Component
class LossCounts implements LockListener {

	final List<String> losses = new CopyOnWriteArrayList<>();

	@Override
	public void onLost(LockSnapshot lock, Throwable cause) {
		this.losses.addAll(lock.keys());
	}

}
// end
