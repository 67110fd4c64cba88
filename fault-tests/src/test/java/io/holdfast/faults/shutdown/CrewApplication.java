package io.holdfast.faults.shutdown;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.holdfast.LockTemplate;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.engine.HoldfastLockRegistry;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * An application that holds a hundred locks and waits for a hundred until it is ended.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class })
@Import({ AnnotatedWaiter.class, Witnesses.class, Work.class })
class CrewApplication {

	@Bean
	Answers answers(@Value("${crew.answers}") int expected) {
		return new Answers(expected);
	}

	@Bean
	Holders holders(LockTemplate locks, Work work, Answers answers, @Value("${crew.name}") String name,
			@Value("${crew.more}") Duration more) {
		return new Holders(locks, work, answers, name, more);
	}

	@Bean
	Waiters waiters(LockTemplate locks, AnnotatedWaiter annotated, Answers answers,
			@Value("${crew.name}") String name) {
		return new Waiters(locks, annotated, answers, name);
	}

	@Bean
	Crew crew(Holders holders, Waiters waiters, HoldfastLockRegistry registry) {
		return new Crew(holders, waiters, registry);
	}

	/**
	 * Run the application.
	 */
	static class Main {

		public static void main(String[] args) throws InterruptedException {
			ConfigurableApplicationContext context = new SpringApplicationBuilder(CrewApplication.class)
				.web(WebApplicationType.NONE)
				.run(args);
			context.getBean(Crew.class).begin();
			context.getBean(Answers.class).give("ready");
			new CountDownLatch(1).await();
		}

	}

}
