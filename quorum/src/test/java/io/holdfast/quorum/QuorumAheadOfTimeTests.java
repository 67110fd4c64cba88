package io.holdfast.quorum;

import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LockTemplate;
import io.holdfast.autoconfigure.ProcessedApplication;
import io.holdfast.engine.LockStore;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.test.tools.CompileWithForkedClassLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Applications on independent masters that are processed ahead of time.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class QuorumAheadOfTimeTests {

	@Test
	@CompileWithForkedClassLoader
	void connectToTheNodesOfWhereTheyRun() {
		ProcessedApplication processed = new ProcessedApplication(
				List.of("holdfast.redis.nodes=redis://a,redis://b,redis://c"), QuorumAutoConfiguration.class);
		try (RedisProcess first = new RedisProcess();
				RedisProcess second = new RedisProcess();
				RedisProcess third = new RedisProcess()) {
			List.of(first, second, third).forEach(RedisProcess::start);
			String nodes = "holdfast.redis.nodes=redis://127.0.0.1:%d,redis://127.0.0.1:%d,redis://127.0.0.1:%d"
				.formatted(first.port(), second.port(), third.port());
			processed
				.compile((start) -> start.run(List.of(nodes, "holdfast.redis.node-timeout=500ms"), (application) -> {
					assertThat(application.getBean(LockStore.class)).isInstanceOf(QuorumLockStore.class);
					LockTemplate template = application.getBean(LockTemplate.class);
					await().ignoreExceptions()
						.untilAsserted(() -> assertThat(template.tryExecute("k", LockHandle::isHeld)).contains(true));
				}));
		}
	}

}
