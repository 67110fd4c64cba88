package io.holdfast.docs;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.ConcurrencyLimit.ThrottlePolicy;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Locks and the two annotations {@code @Retryable}, and {@code @ConcurrencyLimit}.
 */
@Tag("any-jdk")
class RetryOrderTests {

	@Test
	void springFrameworkLocksForEachAttempt() {
		OneApplication.with(Mails.class, ResilientMethods.class).run((context) -> {
			Mails mails = context.getBean(Mails.class);
			assertThatIllegalStateException().isThrownBy(() -> mails.send("a"));
			assertThat(mails.attempts()).isEqualTo(3);
			assertThat(context.getBean(Locking.class).acquired()).containsExactly("a", "a", "a");
		});
	}

	@Test
	void springFrameworkRepeatsCallsThatDidNotGetTheLock() {
		OneApplication.with(Mails.class, ResilientMethods.class).run((context) -> {
			Locking locking = context.getBean(Locking.class);
			locking.whileHeldElsewhere("a", () -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.getBean(Mails.class).send("a")));
			assertThat(locking.refusals()).isEqualTo(3);
		});
	}

	@Test
	void springFrameworkDoesNotRepeatWhatIsExcluded() {
		OneApplication.with(Mails.class, ResilientMethods.class).run((context) -> {
			Locking locking = context.getBean(Locking.class);
			locking.whileHeldElsewhere("a", () -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.getBean(Mails.class).sendOrGiveUp("a")));
			assertThat(locking.refusals()).isOne();
		});
	}

	@Test
	void springRetryLocksOnce() {
		OneApplication.with(OldMails.class, SpringRetry.class).run((context) -> {
			OldMails mails = context.getBean(OldMails.class);
			assertThatIllegalStateException().isThrownBy(() -> mails.send("a"));
			assertThat(mails.attempts()).isEqualTo(3);
			assertThat(context.getBean(Locking.class).acquired()).containsExactly("a");
		});
	}

	@Test
	void springRetryWithOrderZeroLocksForEachAttempt() {
		OneApplication.with(OldMails.class, SpringRetryOutside.class).run((context) -> {
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(OldMails.class).send("a"));
			assertThat(context.getBean(Locking.class).acquired()).containsExactly("a", "a", "a");
		});
	}

	@Test
	void limitIsOutside() {
		OneApplication.with(Mails.class, ResilientMethods.class).run((context) -> {
			Mails mails = context.getBean(Mails.class);
			var one = Threads.start(() -> {
				mails.sendAlone("a");
				return "sent";
			});
			mails.awaitBegin();
			assertThatExceptionOfType(InvocationRejectedException.class).isThrownBy(() -> mails.sendAlone("b"));
			assertThat(context.getBean(Locking.class).acquired()).containsExactly("a");
			mails.end();
			assertThat(Threads.join(one)).isEqualTo("sent");
		});
	}

	static class Mails {

		private final AtomicInteger attempts = new AtomicInteger();

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch server = new CountDownLatch(1);

		int attempts() {
			return this.attempts.get();
		}

		void awaitBegin() {
			Threads.await(this.begun);
		}

		void end() {
			this.server.countDown();
		}

		@Retryable(maxRetries = 2, delay = 1)
		@DistributedLock("#id")
		public void send(String id) {
			this.attempts.incrementAndGet();
			throw new IllegalStateException("busy");
		}

		// snippet: retryable
		@Retryable(excludes = LockNotAcquiredException.class)
		@DistributedLock("#id")
		public void sendOrGiveUp(String id) {
			connect(id);
		}
		// end

		private void connect(String id) {
			throw new IllegalStateException(id);
		}

		@ConcurrencyLimit(value = 1, policy = ThrottlePolicy.REJECT)
		@DistributedLock("#id")
		public void sendAlone(String id) {
			this.begun.countDown();
			Threads.await(this.server);
		}

	}

	static class OldMails {

		private final AtomicInteger attempts = new AtomicInteger();

		int attempts() {
			return this.attempts.get();
		}

		@org.springframework.retry.annotation.Retryable(backoff = @Backoff(delay = 1))
		@DistributedLock("#id")
		public void send(String id) {
			this.attempts.incrementAndGet();
			throw new IllegalStateException("busy");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class ResilientMethods {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	static class SpringRetry {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry(order = 0)
	static class SpringRetryOutside {

	}

}
