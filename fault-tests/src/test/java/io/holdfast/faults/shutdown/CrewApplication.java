package io.holdfast.faults.shutdown;

import java.time.Duration;

import io.holdfast.LockTemplate;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.engine.HoldfastLockRegistry;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * An application that holds a hundred locks and waits for a hundred until it is ended.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class })
@Import({ Crew.AnnotatedWaiter.class, Witnesses.class, Work.class })
class CrewApplication {

	@Bean
	Answers answers(@Value("${crew.answers}") int expected) {
		return new Answers(expected);
	}

	@Bean
	Crew crew(LockTemplate locks, HoldfastLockRegistry registry, Crew.AnnotatedWaiter annotated, Work work,
			Answers answers, @Value("${crew.name}") String name, @Value("${crew.more}") Duration more) {
		return new Crew(locks, registry, annotated, work, answers, name, more);
	}

}
