package io.holdfast.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.holdfast.LockTemplate;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.test.Threads;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with locks in memory, where calls that do not say otherwise try once.
 */
public final class LocalApplication {

	private LocalApplication() {
	}

	public static ApplicationContextRunner with(Class<?>... beans) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class,
					PropertyPlaceholderAutoConfiguration.class, HoldfastAutoConfiguration.class))
			.withPropertyValues("holdfast.store=local", "holdfast.wait-for=0")
			.withUserConfiguration(beans);
	}

	/**
	 * Start an application that a whole test class uses.
	 */
	static AnnotationConfigApplicationContext start(Class<?>... beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues.of("holdfast.store=local", "holdfast.wait-for=0").applyTo(context);
		context.register(AopAutoConfiguration.class, HoldfastAutoConfiguration.class);
		context.register(beans);
		context.refresh();
		return context;
	}

	/**
	 * Return whether another thread does not get a lock at once.
	 */
	static boolean isLocked(BeanFactory context, String key) {
		return Threads.call(() -> context.getBean(LockTemplate.class).tryExecute(key, (lock) -> true)).isEmpty();
	}

	/**
	 * Do something while another thread holds a lock.
	 * @param context the application
	 * @param key the key of the lock
	 * @param action what to do
	 */
	public static void whileHeldElsewhere(BeanFactory context, String key, ThrowingCallable action) {
		CountDownLatch held = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(1);
		CompletableFuture<Boolean> holder = Threads
			.start(() -> context.getBean(LockTemplate.class).<Boolean, RuntimeException>execute(key, (lock) -> {
				held.countDown();
				Threads.await(done);
				return lock.isHeld();
			}));
		holder.whenComplete((ended, failure) -> held.countDown());
		Threads.await(held);
		if (holder.isCompletedExceptionally()) {
			Threads.join(holder);
		}
		try {
			action.call();
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new AssertionError(ex);
		}
		finally {
			done.countDown();
		}
		assertThat(Threads.join(holder)).isTrue();
	}

}
