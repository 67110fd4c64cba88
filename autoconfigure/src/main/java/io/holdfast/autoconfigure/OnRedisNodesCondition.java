package io.holdfast.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches when independent masters are configured, also when that comes to none at all:
 * nobody who wants a quorum is to be given a single Redis.
 */
class OnRedisNodesCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		boolean configured = Binder.get(context.getEnvironment())
			.bind("holdfast.redis.nodes", Bindable.listOf(String.class))
			.isBound();
		ConditionMessage.Builder message = ConditionMessage.forCondition("Holdfast nodes");
		return configured ? ConditionOutcome.match(message.because("there are some"))
				: ConditionOutcome.noMatch(message.because("there are none"));
	}

}
