package io.holdfast.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Supplier;

import io.holdfast.DistributedLock;
import io.holdfast.LockTemplate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What is found once for a method, and what once for all of them.
 */
class LockedMethodsTests {

	private final Method method = ReflectionUtils.findMethod(Job.class, "run");

	private static LockedMethods methods(Supplier<LockTemplate> template) {
		return new LockedMethods(new DefaultListableBeanFactory(), template,
				() -> new LockDefaults(Duration.ofSeconds(30), Duration.ofSeconds(5), true, null, true, "test"));
	}

	@Test
	void annotationsOfAMethodAreReadOnce() {
		LockedMethods methods = methods(() -> {
			throw new AssertionError("No method is called");
		});
		LockedMethod locked = methods.get(this.method, Job.class);
		assertThat(locked).isNotNull().isSameAs(methods.get(this.method, Job.class));
		assertThat(methods.get(this.method, LateJob.class)).isNotNull().isNotSameAs(locked);
	}

	@Test
	void templateIsLookedUpAtTheFirstCallThatFindsIt() throws Throwable {
		try (AnnotationConfigApplicationContext context = LocalApplication.start(Job.class)) {
			Queue<Supplier<LockTemplate>> lookups = new ArrayDeque<>();
			lookups.add(() -> {
				throw new IllegalStateException("not yet");
			});
			lookups.add(() -> context.getBean(LockTemplate.class));
			LockedMethods methods = methods(() -> lookups.remove().get());
			assertThatIllegalStateException().isThrownBy(() -> call(methods)).withMessage("not yet");
			assertThat(call(methods)).isEqualTo("done");
			assertThat(call(methods)).isEqualTo("done");
		}
	}

	private @Nullable Object call(LockedMethods methods) throws Throwable {
		Job job = new Job();
		LockedMethod locked = methods.get(this.method, Job.class);
		assertThat(locked).isNotNull();
		return locked.run(new LockCall(this.method, job, Job.class, new Object[0]), job::run);
	}

	static class Job {

		@DistributedLock(name = "job")
		String run() {
			return "done";
		}

	}

	static class LateJob extends Job {

	}

}
