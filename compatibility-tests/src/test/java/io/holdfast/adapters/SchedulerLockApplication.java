package io.holdfast.adapters;

import java.util.concurrent.CountDownLatch;

import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastShedLockAutoConfiguration;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * An application with a task of ShedLock that never ends.
 */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
@EnableSchedulerLock(defaultLockAtMostFor = "6s")
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class,
		HoldfastShedLockAutoConfiguration.class, TaskSchedulingAutoConfiguration.class })
class SchedulerLockApplication {

	/**
	 * Start the application.
	 * @param args its properties
	 */
	public static void main(String[] args) {
		new SpringApplicationBuilder(SchedulerLockApplication.class).web(WebApplicationType.NONE).run(args);
		System.out.println("@started");
	}

	@Scheduled(fixedDelay = 100)
	@SchedulerLock(name = "report")
	void report() throws InterruptedException {
		System.out.println("@running");
		new CountDownLatch(1).await();
	}

}
