package io.holdfast.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.holdfast.DistributedLock;
import io.holdfast.aop.InvalidDistributedLockException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The message that the guide shows for an annotation that cannot work.
 */
@Tag("any-jdk")
class StartupMessageTests {

	@Test
	void guideShowsTheMessage() throws IOException {
		String guide = Files.readString(Path.of("../docs/guide.md"));
		new ApplicationContextRunner().withUserConfiguration(GuideApplication.class, Misspelt.class)
			.withPropertyValues("holdfast.store=local")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidDistributedLockException.class,
						(ex) -> assertThat(guide)
							.contains(ex.getMessage().replace(Misspelt.class.getName(), "com.example.Shipping"))
							.contains(ex.getAction())));
	}

	@Test
	void isNotCheckedWithoutLocks() {
		new ApplicationContextRunner().withUserConfiguration(GuideApplication.class, Misspelt.class)
			.withPropertyValues("holdfast.enabled=false")
			.run((context) -> context.getBean(Misspelt.class).ship(new Order("42")));
	}

	static class Misspelt {

		@DistributedLock(name = "order", key = "#ordr.id")
		void ship(Order order) {
		}

	}

}
