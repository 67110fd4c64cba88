package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.holdfast.LockException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReactiveLockTemplate;
import reactor.core.publisher.Flux;

import org.springframework.core.ReactiveAdapter;
import org.springframework.util.Assert;

/**
 * A method that returns a publisher: each subscription runs the method under a lock of
 * its own, and has ended when the publisher completes, fails or is cancelled.
 */
final class PublisherMethod extends LockedMethod {

	private final ReactiveAdapter adapter;

	PublisherMethod(Method method, LockPlan plan, Supplier<LockTemplate> template, ReactiveAdapter adapter) {
		super(method, plan, template);
		this.adapter = adapter;
	}

	@Override
	public Object run(LockCall call, Body body) {
		Flux<Object> all = Flux.defer(() -> subscription(call, body));
		return this.adapter.fromPublisher(this.adapter.isMultiValue() ? all : all.singleOrEmpty());
	}

	private Flux<Object> subscription(LockCall call, Body body) {
		LockRequest request = plan().request(call);
		if (request == null) {
			return published(body.again());
		}
		CallState state = new CallState();
		return new ReactiveLockTemplate(template()).executeMany(request, (lock) -> {
			state.enter();
			return published(body.again());
		}).onErrorResume(state::isRefusedBy, (failure) -> published(() -> plan().react(call, (LockException) failure)));
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
