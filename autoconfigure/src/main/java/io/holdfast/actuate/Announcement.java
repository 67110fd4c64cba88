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

	private boolean begun;

	private boolean announced;

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
			Map<String, String> owners = this.registry.operations().threadNames();
			if (!this.begun && owners.isEmpty()) {
				return;
			}
			begin();
			boolean news = this.threads.note(owners);
			if (System.nanoTime() - this.due >= 0 || (news && !this.failed)) {
				announce();
			}
		}
		catch (RuntimeException | Error ex) {
			this.failed = true;
			this.due = System.nanoTime() + RETRY.toNanos();
			logger.debug("Could not announce this instance, trying again", ex);
		}
	}

	/**
	 * Begin to listen, and to be seen, if that has not begun. Without that, it begins
	 * with the first lock that lasts for a moment, so that those who use none cost
	 * nothing. Locks may be opened later than this, when a context is started again, and
	 * nothing is heard before they are.
	 */
	void begin() {
		this.begun = true;
		this.registry.operations().listen();
	}

	private void announce() {
		Map<String, String> all = this.details.toMap();
		this.threads.all().forEach((owner, thread) -> all.put(InstanceDetails.threadOf(OwnerId.of(owner)), thread));
		this.announced = true;
		this.registry.operations().view().announce(all, LASTS);
		this.failed = false;
		this.due = System.nanoTime() + REPEAT.toNanos();
	}

	/**
	 * Take it back.
	 */
	void withdraw() {
		if (!this.announced) {
			return;
		}
		try {
			this.registry.operations().view().withdraw();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not withdraw what was announced of this instance; it expires", ex);
		}
	}

}
