package io.holdfast.docs;

import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.ReleaseResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test of an annotated service, with an embedded Redis.
 */
@Tag("any-jdk")
// snippet: on-redis
@SpringBootTest
@Import(EmbeddedRedisConfiguration.class)
class ShippingOnRedisTests {

	@Autowired
	private LockTemplate locks;

	@Autowired
	private StringRedisTemplate redis;

	@Test
	void losesItsLock() {
		LockHandle lock = this.locks.acquire(LockRequest.of("order:42"));
		this.redis.delete(List.of("holdfast:{order:42}"));
		assertThat(lock.release()).isEqualTo(ReleaseResult.LOST);
	}

}
// end
