package io.holdfast.actuate;

import java.time.Duration;
import java.util.Map;

import io.holdfast.engine.HoldfastLockRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the store who this instance is, and which of its threads hold and wait for
 * locks. To be used by one thread.
 */
final class Announcement {

	private static final Logger logger = LoggerFactory.getLogger(Announcement.class);

	private static final Duration LASTS = Duration.ofSeconds(60);

	private static final Duration REPEAT = Duration.ofSeconds(20);

	private static final Duration RETRY = Duration.ofSeconds(5);

	private final HoldfastLockRegistry registry;

	private final InstanceDetails details;

	private final ThreadNames threads = new ThreadNames();

	private boolean failed;

	private long due = System.nanoTime();

	Announcement(HoldfastLockRegistry registry, InstanceDetails details) {
		this.registry = registry;
		this.details = details;
	}

	/**
	 * Say it if that is due, or there is something new to say. Without threads that are
	 * new, the store is not asked.
	 */
	void keepUp() {
		try {
			boolean news = this.threads.note(new OwnLocks(this.registry).threads());
			if (System.nanoTime() - this.due >= 0 || (news && !this.failed)) {
				announce();
			}
		}
		catch (RuntimeException ex) {
			logger.debug("Could not announce this instance, trying again", ex);
			this.failed = true;
			this.due = System.nanoTime() + RETRY.toNanos();
		}
	}

	private void announce() {
		Map<String, String> all = this.details.toMap();
		this.threads.all().forEach((owner, thread) -> all.put(InstanceDetails.threadOf(OwnerId.of(owner)), thread));
		this.registry.operations().view().announce(all, LASTS);
		this.failed = false;
		this.due = System.nanoTime() + REPEAT.toNanos();
	}

	/**
	 * Take it back.
	 */
	void withdraw() {
		try {
			this.registry.operations().view().withdraw();
		}
		catch (RuntimeException ex) {
			logger.debug("Could not withdraw what was announced of this instance; it expires", ex);
		}
	}

}
