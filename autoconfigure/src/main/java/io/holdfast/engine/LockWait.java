package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.holdfast.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * A caller of this instance that waits for a lock, as it was at one moment.
 *
 * @param keys the keys that it waits for
 * @param name the locks' name of low cardinality, or {@code null} when they have none
 * @param mode whether it wants to share them
 * @param owner who is going to hold them
 * @param threadName name of the thread that asked
 * @param since when it asked, on the wall clock
 * @param waited for how long it has waited
 * @param holder who had one of the locks when the store was last asked, or {@code null}
 * when that is not known
 * @since 0.1.0
 */
public record LockWait(List<String> keys, @Nullable String name, LockMode mode, String owner, String threadName,
		Instant since, Duration waited, @Nullable String holder) {

}
