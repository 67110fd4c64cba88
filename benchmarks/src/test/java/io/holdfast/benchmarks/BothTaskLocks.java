package io.holdfast.benchmarks;

import java.time.Duration;
import java.util.Optional;

import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

record BothTaskLocks(SimpleLock old, SimpleLock next) implements SimpleLock {

	static LockProvider provider(LockProvider old, LockProvider next) {
		return (task) -> old.lock(task).flatMap((outer) -> {
			Optional<SimpleLock> inner = Optional.empty();
			try {
				inner = next.lock(task);
			}
			finally {
				if (inner.isEmpty()) {
					outer.unlock();
				}
			}
			return inner.map((lock) -> new BothTaskLocks(outer, lock));
		});
	}

	@Override
	public void unlock() {
		try {
			this.next.unlock();
		}
		finally {
			this.old.unlock();
		}
	}

	@Override
	public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
		return this.old.extend(lockAtMostFor, lockAtLeastFor)
			.flatMap((outer) -> this.next.extend(lockAtMostFor, lockAtLeastFor)
				.map((inner) -> new BothTaskLocks(outer, inner)));
	}

}
