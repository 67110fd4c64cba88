package io.holdfast.redis.quorum;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which nodes are worth waiting for: those that answered in time when they were last
 * asked. One that did not is asked all the same, so that it can become punctual again.
 * Callers that wait for different times each have their own.
 */
final class Punctuality {

	private final Set<Node> late = ConcurrentHashMap.newKeySet();

	/**
	 * Note whether a node has answered in time.
	 */
	void note(Node node, boolean inTime) {
		if (inTime) {
			this.late.remove(node);
		}
		else {
			this.late.add(node);
		}
	}

	boolean isPunctual(Node node) {
		return !this.late.contains(node);
	}

}
