package io.holdfast.sample.live;

import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Shows the locks again and again, as long as somebody looks.
 */
@Component
@EnableScheduling
class LockTicker {

	private static final long INTERVAL_MILLIS = 250;

	private final Audience audience;

	private final LockTable table;

	LockTicker(Audience audience, LockTable table) {
		this.audience = audience;
		this.table = table;
	}

	@Scheduled(fixedDelay = INTERVAL_MILLIS)
	void tick() {
		if (!this.audience.isEmpty()) {
			this.audience.tell(this.table.message());
		}
	}

}
