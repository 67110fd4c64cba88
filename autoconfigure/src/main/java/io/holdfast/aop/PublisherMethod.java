package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.ReactiveLockTemplate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

import org.springframework.core.ReactiveAdapter;
import org.springframework.util.Assert;

/**
 * A method that returns a publisher: each subscription runs the method under locks of its
 * own, and has ended when the publisher completes, fails or is cancelled.
 */
final class PublisherMethod extends LockedMethod {

	private final ReactiveAdapter adapter;

	PublisherMethod(Method method, LockPlan plan, LockRuntime runtime, ReactiveAdapter adapter) {
		super(method, plan, runtime);
		this.adapter = adapter;
	}

	@Override
	public Object run(LockCall call, Body body) {
		Flux<Object> all = Flux.defer(() -> subscription(call, body));
		return this.adapter.fromPublisher(this.adapter.isMultiValue() ? all : all.singleOrEmpty());
	}

	private Flux<Object> subscription(LockCall call, Body body) {
		List<PlannedLock> wanted = locks(call);
		if (wanted.isEmpty()) {
			return published(body.again());
		}
		CallLocks locks = new CallLocks(wanted, runtime());
		return acquire(locks, body).onErrorResume((failure) -> instead(call, locks.refusal(), failure));
	}

	private Flux<Object> instead(LockCall call, CallLocks.@Nullable Refusal refusal, Throwable failure) {
		return (refusal != null) ? published(() -> refusal.react(call)) : Flux.error(failure);
	}

	private Flux<Object> acquire(CallLocks locks, Body body) {
		int held = locks.count();
		return new ReactiveLockTemplate(runtime().template())
			.executeMany(locks.next(), (lock) -> proceed(lock, locks, body))
			.onErrorMap((failure) -> locks.reported(failure, held));
	}

	private Flux<Object> proceed(LockHandle lock, CallLocks locks, Body body) {
		locks.acquired(lock);
		if (!locks.areComplete()) {
			return acquire(locks, body).doOnError((failure) -> locks.noteUnusedUnlessBegun(lock))
				.doOnCancel(() -> locks.noteUnusedUnlessBegun(lock));
		}
		locks.begin();
		return published(body.again());
	}

	private Flux<Object> published(Body body) {
		try {
			Object result = body.proceed();
			Assert.state(result != null, "A method that runs under a lock returned null instead of a publisher");
			return Flux.from(this.adapter.toPublisher(result));
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

}
