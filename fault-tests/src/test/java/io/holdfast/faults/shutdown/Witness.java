package io.holdfast.faults.shutdown;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Looks at a moment of the end whether there are locks to be had, and what is in Redis,
 * over the application's own connections.
 */
class Witness implements SmartLifecycle {

	private final String moment;

	private final String name;

	private final int phase;

	private final LockTemplate locks;

	private final StringRedisTemplate redis;

	private final Answers answers;

	private volatile boolean running;

	/**
	 * Create a witness.
	 * @param name what the keys of this application begin with
	 * @param moment what has just happened, or is about to
	 * @param phase when that is
	 */
	Witness(String name, String moment, int phase, LockTemplate locks, StringRedisTemplate redis, Answers answers) {
		this.name = name;
		this.moment = moment;
		this.phase = phase;
		this.locks = locks;
		this.redis = redis;
		this.answers = answers;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.answers.give("%s: %s, %d in Redis", this.moment, newLock(), held());
	}

	private String newLock() {
		try {
			Optional<LockHandle> lock = this.locks
				.tryAcquire(LockRequest.of(this.name + "-witness").waitFor(Duration.ZERO));
			lock.ifPresent(LockHandle::close);
			return lock.isPresent() ? "locks to be had" : "somebody has it";
		}
		catch (LockUnavailableException ex) {
			return "no more locks";
		}
	}

	private int held() {
		Set<String> keys = this.redis.keys("holdfast:{" + this.name + "-*}");
		return (keys != null) ? keys.size() : -1;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

}
