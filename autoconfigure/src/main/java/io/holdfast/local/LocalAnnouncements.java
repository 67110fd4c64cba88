package io.holdfast.local;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.concurrent.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * What instances that share locks in memory say of themselves.
 */
final class LocalAnnouncements {

	private final Map<String, Announcement> announcements = new ConcurrentHashMap<>();

	private final MonotonicClock clock;

	LocalAnnouncements(MonotonicClock clock) {
		this.clock = clock;
	}

	void put(String instanceId, Map<String, String> details, Duration lasts) {
		this.announcements.put(instanceId,
				new Announcement(Map.copyOf(details), this.clock.nanos() + LocalTable.nanos(lasts)));
	}

	boolean prolong(String instanceId, Duration lasts) {
		Map<String, String> present = get(instanceId);
		if (present != null) {
			put(instanceId, present, lasts);
		}
		return present != null;
	}

	void remove(String instanceId) {
		this.announcements.remove(instanceId);
	}

	/**
	 * Return what an instance has said of itself, or {@code null} when that is over.
	 */
	@Nullable Map<String, String> get(String instanceId) {
		Announcement last = this.announcements.get(instanceId);
		return (last != null && last.until() - this.clock.nanos() > 0) ? last.details() : null;
	}

	private record Announcement(Map<String, String> details, long until) {
	}

}
