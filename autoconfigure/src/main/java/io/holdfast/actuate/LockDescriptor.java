package io.holdfast.actuate;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.holdfast.LockMode;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A lock that is held or waited for. Unknown values are {@code null}.
 *
 * @param key the key
 * @param name the lock's name, if the answering instance uses the lock
 * @param mode exclusive or shared; {@code null} when the lock is free
 * @param holder the holder; of a lock that several share, the one that has had it longest
 * @param waiters the waiters
 * @param sharers those that share it
 * @param permits how many may share it at a time
 * @param error what the store has in place of a lock; else {@code null}, which is left
 * out
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record LockDescriptor(String key, @Nullable String name, @Nullable LockMode mode,
		@JsonUnwrapped HolderDescriptor holder, @JsonUnwrapped Waiters waiters, @JsonUnwrapped Sharers sharers,
		@JsonUnwrapped Permits permits,
		@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String error) implements OperationResponseBody {

	/**
	 * The waiters for a lock.
	 *
	 * @param waiters the waiters, in order
	 * @param waiterCount how many wait, as far as the answering instance knows, if not
	 * all are listed; else {@code null}, which is left out
	 */
	public record Waiters(List<WaiterDescriptor> waiters,
			@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer waiterCount) {

		static Waiters of(List<WaiterDescriptor> told, int count) {
			return new Waiters(told, (count > told.size()) ? count : null);
		}

	}

	/**
	 * The holders that share a lock.
	 *
	 * @param sharers all of them, if there are several; else {@code null}, which is left
	 * out
	 * @param sharerCount how many share it, if not all are listed; else {@code null},
	 * which is left out
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	public record Sharers(@Nullable List<HolderDescriptor> sharers, @Nullable Integer sharerCount) {

		static Sharers of(List<HolderDescriptor> told, int count) {
			return new Sharers((told.size() > 1) ? told : null, (count > Math.max(1, told.size())) ? count : null);
		}

	}

	/**
	 * How many may share a lock at a time. Both are {@code null}, and left out, if any
	 * number may, or the store was not asked.
	 *
	 * @param permits how many may, as the last of them said
	 * @param permitsTaken how many do
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	public record Permits(@Nullable Integer permits, @Nullable Integer permitsTaken) {

		static final Permits UNKNOWN = new Permits(null, null);

		static Permits of(KeyState state) {
			return (state.permits() > 0) ? new Permits(state.permits(), state.holderCount()) : UNKNOWN;
		}

	}

}
