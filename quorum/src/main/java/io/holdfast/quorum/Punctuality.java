package io.holdfast.quorum;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which nodes are worth waiting for: those that answered in time when last asked. The
 * others are asked all the same, so that they can become punctual again. Callers with
 * different timeouts have one each.
 */
final class Punctuality {

	private final Set<Node> late = ConcurrentHashMap.newKeySet();

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
