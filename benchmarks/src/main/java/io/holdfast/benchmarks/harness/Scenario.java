package io.holdfast.benchmarks.harness;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.worker.Workload;
import org.jspecify.annotations.Nullable;

import static io.holdfast.benchmarks.harness.Figure.CLIENT_CPU;
import static io.holdfast.benchmarks.harness.Figure.CLIENT_CPU_PERCENT;
import static io.holdfast.benchmarks.harness.Figure.COMMANDS;
import static io.holdfast.benchmarks.harness.Figure.COMMANDS_PER_SECOND;
import static io.holdfast.benchmarks.harness.Figure.HAND_OVERS_PER_SECOND;
import static io.holdfast.benchmarks.harness.Figure.INSIDE;
import static io.holdfast.benchmarks.harness.Figure.KEYS_LEFT;
import static io.holdfast.benchmarks.harness.Figure.MAX;
import static io.holdfast.benchmarks.harness.Figure.NANOS_ERROR;
import static io.holdfast.benchmarks.harness.Figure.NANOS_PER_OPERATION;
import static io.holdfast.benchmarks.harness.Figure.OPERATIONS_PER_SECOND;
import static io.holdfast.benchmarks.harness.Figure.P50;
import static io.holdfast.benchmarks.harness.Figure.P99;
import static io.holdfast.benchmarks.harness.Figure.REDIS_CPU;
import static io.holdfast.benchmarks.harness.Figure.REDIS_CPU_PERCENT;
import static io.holdfast.benchmarks.harness.Figure.SCRIPTS;
import static io.holdfast.benchmarks.harness.Figure.SCRIPTS_PER_SECOND;
import static io.holdfast.benchmarks.harness.Figure.WORST_SHARE;

/**
 * A situation in which the contenders are compared, one table each.
 */
public enum Scenario {

	/**
	 * One thread and nobody else.
	 */
	OWN_KEY_1("a1", "Own key, 1 thread", Workload.OWN_KEY, 1, 1),

	/**
	 * Many threads that do not want the same.
	 */
	OWN_KEY_16("a16", "Own key per thread, 16 threads", Workload.OWN_KEY, 1, 16),

	/**
	 * Some threads of a JVM that want the same.
	 */
	ONE_KEY_16("b16", "One key, 16 threads in one JVM", Workload.ONE_KEY, 1, 16),

	/**
	 * Many threads of a JVM that want the same.
	 */
	ONE_KEY_128("b128", "One key, 128 threads in one JVM", Workload.ONE_KEY, 1, 128),

	/**
	 * Several JVMs that want the same.
	 */
	ONE_KEY_4_JVMS("c", "One key, 4 JVMs of 4 threads", Workload.ONE_KEY, 4, 4),

	/**
	 * Several JVMs that want the same for some time.
	 */
	SECTION_4_JVMS("c1", "One key, 4 JVMs of 4 threads, sections of 1 ms", Workload.SECTION, 4, 4),

	/**
	 * How long it takes until the other JVM has the lock.
	 */
	HAND_OVER("d", "Hand-over between two JVMs", Workload.HAND_OVER, 2, 1),

	/**
	 * Many locks that live for long.
	 */
	HELD("e", "Many held locks", Workload.HELD, 1, 0),

	/**
	 * What the annotation costs when locks cost nothing.
	 */
	ANNOTATION("f", "Annotated method against template call, without Redis (JMH)", null, 1, 1),

	/**
	 * What the annotation costs in relation to all the rest.
	 */
	ANNOTATION_ON_REDIS("f-redis", "Annotated method against template call, with Redis (JMH)", null, 1, 1),

	/**
	 * Single operations.
	 */
	SINGLE_OPERATION("jmh", "Acquire and release, 1 thread (JMH)", null, 1, 1);

	private final String id;

	private final String title;

	private final @Nullable Workload workload;

	private final int jvms;

	private final int threads;

	Scenario(String id, String title, @Nullable Workload workload, int jvms, int threads) {
		this.id = id;
		this.title = title;
		this.workload = workload;
		this.jvms = jvms;
		this.threads = threads;
	}

	/**
	 * Return the scenario that an option names.
	 * @param id the name
	 * @return the scenario
	 * @throws IllegalArgumentException when there is none of that name
	 */
	public static Scenario of(String id) {
		return Arrays.stream(values())
			.filter((scenario) -> scenario.id.equals(id))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("No scenario '%s', there are: %s".formatted(id,
					Arrays.stream(values()).map(Scenario::id).collect(Collectors.joining(", ")))));
	}

	public String id() {
		return this.id;
	}

	public String title() {
		return this.title;
	}

	/**
	 * Return what workers do, or {@code null} where JMH measures and not workers.
	 * @return the workload
	 */
	public @Nullable Workload workload() {
		return this.workload;
	}

	public int jvms() {
		return this.jvms;
	}

	/**
	 * Return how many threads each JVM has.
	 * @return the number of threads
	 */
	public int threads() {
		return this.threads;
	}

	/**
	 * Return how many threads all JVMs have together.
	 * @return the number of threads
	 */
	public int allThreads() {
		return this.jvms * this.threads;
	}

	/**
	 * Return whether a contender can take part.
	 * @param contender a contender
	 * @return whether it can
	 */
	public boolean suits(Contender contender) {
		return this.workload != Workload.HELD || contender.isRenewing();
	}

	/**
	 * Return what its table shows.
	 * @return the figures, in order
	 */
	public List<Figure> figures() {
		return switch (this) {
			case OWN_KEY_1, OWN_KEY_16, ONE_KEY_16, ONE_KEY_128 ->
				List.of(OPERATIONS_PER_SECOND, P50, P99, MAX, CLIENT_CPU, REDIS_CPU, COMMANDS, SCRIPTS);
			case ONE_KEY_4_JVMS ->
				List.of(OPERATIONS_PER_SECOND, P50, P99, MAX, CLIENT_CPU, REDIS_CPU, COMMANDS, SCRIPTS, WORST_SHARE);
			case SECTION_4_JVMS ->
				List.of(INSIDE, OPERATIONS_PER_SECOND, P50, P99, MAX, CLIENT_CPU, REDIS_CPU, SCRIPTS, WORST_SHARE);
			case HAND_OVER -> List.of(P50, P99, MAX, HAND_OVERS_PER_SECOND, OPERATIONS_PER_SECOND, CLIENT_CPU,
					REDIS_CPU, COMMANDS, SCRIPTS);
			case HELD ->
				List.of(SCRIPTS_PER_SECOND, COMMANDS_PER_SECOND, CLIENT_CPU_PERCENT, REDIS_CPU_PERCENT, KEYS_LEFT);
			case ANNOTATION, ANNOTATION_ON_REDIS, SINGLE_OPERATION -> List.of(NANOS_PER_OPERATION, NANOS_ERROR);
		};
	}

	/**
	 * Return the figure by which contenders are compared.
	 * @return the figure
	 */
	public Figure mainFigure() {
		return switch (this) {
			case HELD -> CLIENT_CPU_PERCENT;
			default -> figures().get(0);
		};
	}

}
