package io.holdfast.faults.check;

import java.util.List;

import io.holdfast.faults.history.History;

/**
 * Something that must be true of each history.
 */
@FunctionalInterface
interface Rule {

	/**
	 * Return what breaks the rule, each in a sentence.
	 */
	List<String> violations(History history, Promise promise);

}
