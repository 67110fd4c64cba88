package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.engine.Background;
import io.holdfast.engine.EngineListener;
import io.holdfast.engine.EngineRuntime;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.LockStoreException;
import io.holdfast.engine.MonotonicClock;
import io.holdfast.engine.PeriodicCheck;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Describes owners in other instances, by what those have announced. The store is asked
 * only in the background, about instances whose owners delay callers here; until it has
 * answered, the description is incomplete.
 *
 * @since 0.1.0
 */
public final class KnownInstances implements EngineListener {

	private static final Logger logger = LoggerFactory.getLogger(KnownInstances.class);

	// Time from the begin of a wait to the first question: most waits are shorter
	private static final Duration FIRST_PAUSE = Duration.ofMillis(250);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	private static final int MOST_KNOWN = 256;

	private static final int MOST_ASKED = 20;

	private final Background background = new Background(EngineRuntime.of(MonotonicClock.SYSTEM),
			"holdfast-diagnostics");

	private final PeriodicCheck check = new PeriodicCheck(this.background, FIRST_PAUSE, PAUSE, this::isNeeded,
			this::ask);

	// What an instance has announced never changes
	private final Map<String, Map<String, String>> known = new ConcurrentHashMap<>();

	private final Set<String> wanted = ConcurrentHashMap.newKeySet();

	private final InstanceDetails own;

	private volatile @Nullable LockOperations operations;

	/**
	 * Create an instance that knows of no other.
	 * @param own the description of this instance
	 */
	public KnownInstances(InstanceDetails own) {
		this.own = own;
	}

	/**
	 * Set the engine that is observed. Before that, no owner is known.
	 * @param operations the engine, as operators see it
	 */
	public void observe(LockOperations operations) {
		this.operations = operations;
	}

	@Override
	public void stopped() {
		this.check.stop();
		this.background.stop();
	}

	@Override
	public void waiting(Waiter waiter) {
		this.check.start();
	}

	@Override
	public @Nullable String nameOf(String owner) {
		LockOperations present = this.operations;
		if (present == null) {
			return null;
		}
		OwnerId id = OwnerId.of(OwnerId.withoutKept(owner));
		boolean here = id.instance().equals(present.instanceId());
		String instance = here ? "this instance" : instance(details(id.instance()));
		return (instance != null) ? holder(owner, id, instance) : null;
	}

	/**
	 * Return the application of an owner.
	 * @param owner the owner's id
	 * @return the name; {@code null} if it is this application, or is not known
	 */
	public @Nullable String otherApplication(String owner) {
		String instance = OwnerId.of(owner).instance();
		LockOperations present = this.operations;
		if (present == null || instance.equals(present.instanceId())) {
			return null;
		}
		String application = details(instance).get(InstanceDetails.APPLICATION);
		return Objects.equals(application, this.own.application()) ? null : application;
	}

	private Map<String, String> details(String instance) {
		Map<String, String> details = this.known.get(instance);
		if (details == null) {
			this.wanted.add(instance);
			this.check.start();
		}
		return (details != null) ? details : Map.of();
	}

	private static @Nullable String instance(Map<String, String> details) {
		String host = details.get(InstanceDetails.HOST);
		return (host == null) ? null
				: "%s on %s, process %s".formatted(
						details.getOrDefault(InstanceDetails.APPLICATION, "an application without a name"), host,
						details.get(InstanceDetails.PID));
	}

	private static String holder(String owner, OwnerId id, String instance) {
		String who = (id.threadId() != null) ? "thread " + id.threadId() : "a handle";
		return who + " of " + instance + (OwnerId.isKept(owner) ? ", which has released it and keeps it" : "");
	}

	private boolean isNeeded() {
		LockOperations present = this.operations;
		return !this.wanted.isEmpty() || (present != null && present.waitingCount() > 0);
	}

	private void ask() {
		LockOperations present = this.operations;
		if (present == null) {
			return;
		}
		present.waiting(); // asks for their holders' names
		List<String> some = this.wanted.stream().limit(MOST_ASKED).toList();
		try {
			if (!some.isEmpty()) {
				Map<String, Map<String, String>> announced = present.view().announced(some);
				this.known.keySet()
					.stream()
					.limit(Math.max(0, this.known.size() + announced.size() - MOST_KNOWN))
					.toList()
					.forEach(this.known::remove);
				this.known.putAll(announced);
			}
		}
		catch (LockStoreException ex) {
			logger.debug("Could not ask who other instances are", ex);
		}
		some.forEach(this.wanted::remove);
	}

}
