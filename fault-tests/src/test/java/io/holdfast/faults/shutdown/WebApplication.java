package io.holdfast.faults.shutdown;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.faults.worker.Worker;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application that holds locks and waits for some while it answers requests.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ WebApplication.Pages.class, Witnesses.class })
class WebApplication {

	@Bean
	Ending ending() {
		return new Ending(0);
	}

	@Bean
	Worker.Job job(Environment environment) {
		return (command) -> environment.getRequiredProperty("local.server.port");
	}

	@RestController
	static class Pages {

		private static final long LIMIT_SECONDS = 20;

		private final CountDownLatch sentAway = new CountDownLatch(1);

		private final LockTemplate locks;

		private final HoldfastLockRegistry registry;

		private final Ending ending;

		Pages(LockTemplate locks, HoldfastLockRegistry registry, Ending ending) {
			this.locks = locks;
			this.registry = registry;
			this.ending = ending;
		}

		@GetMapping("/short")
		String workShortly(String key) {
			return this.locks.execute(key, (lock) -> {
				this.ending.work(Duration.ofMillis(500));
				return state(lock);
			});
		}

		/**
		 * Hold a lock until it has been renewed after the application was asked to end,
		 * and until a request that waits has been sent away. Then get another lock.
		 */
		@GetMapping("/long")
		String workLong(String key) throws InterruptedException {
			return this.locks.execute(key, (lock) -> {
				this.ending.workUntilRenewed(this.registry);
				boolean first = this.sentAway.await(LIMIT_SECONDS, TimeUnit.SECONDS);
				String other = this.locks.execute(key + "-other", Pages::state);
				return state(lock) + (first ? ", after others were sent away" : "") + ", another " + other;
			});
		}

		private static String state(LockHandle lock) {
			return lock.isHeld() ? "held" : "lost";
		}

		@GetMapping("/wait")
		String waitFor(String key) {
			return this.locks.execute(LockRequest.of(key).waitForever(), Pages::state);
		}

		@GetMapping("/busy")
		String busy() {
			return "%d hold, %d wait".formatted(this.registry.status().held(), this.registry.status().waiting());
		}

		@ExceptionHandler
		@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
		String unavailable(LockUnavailableException ex) {
			this.sentAway.countDown();
			return String.valueOf(ex.getMessage());
		}

	}

}
