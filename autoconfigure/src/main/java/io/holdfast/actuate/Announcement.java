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

	private final boolean listening;

	private final ThreadNames threads = new ThreadNames();

	private boolean begun;

	private boolean announced;

	private boolean failed;

	private long due = System.nanoTime();

	/**
	 * Create an announcement.
	 * @param listening whether to listen before there is anything to say
	 */
	Announcement(HoldfastLockRegistry registry, InstanceDetails details, boolean listening) {
		this.registry = registry;
		this.details = details;
		this.listening = listening;
	}

	/**
	 * Say it if that is due, or there is something new to say: first with a lock that
	 * lasts for a moment, so that an instance without locks costs nothing.
	 */
	void keepUp() {
		try {
			Map<String, String> owners = this.registry.operations().threadNames();
			this.begun |= !owners.isEmpty();
			listen();
			if (!this.begun) {
				return;
			}
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
	 * Listen, unless this instance does already. The locks of a context that is started
	 * again may be opened later than this, and nothing is heard before they are.
	 */
	void listen() {
		if (this.begun || this.listening) {
			this.registry.operations().listen();
		}
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
