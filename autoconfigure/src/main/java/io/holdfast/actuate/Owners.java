package io.holdfast.actuate;

import java.util.Map;

/**
 * Who is who.
 */
final class Owners {

	private final Map<String, Map<String, String>> instances;

	/**
	 * Create from what is known.
	 * @param instances of each instance, what it has announced
	 */
	Owners(Map<String, Map<String, String>> instances) {
		this.instances = instances;
	}

	OwnerDescriptor describe(String id) {
		OwnerId owner = OwnerId.of(id);
		Map<String, String> details = this.instances.getOrDefault(owner.instance(), Map.of());
		return new OwnerDescriptor(id, owner.instance(), details.get(InstanceDetails.APPLICATION),
				details.get(InstanceDetails.HOST), OwnerId.toLong(details.get(InstanceDetails.PID)),
				details.get(InstanceDetails.threadOf(owner)), owner.threadId());
	}

}
