package io.holdfast.sample;

import java.io.IOException;

/**
 * A Redis that comes and goes when a test says so, not with an instance of the sample.
 */
public final class TestRedis implements AutoCloseable {

	private final EmbeddedRedis redis;

	private TestRedis(EmbeddedRedis redis) {
		this.redis = redis;
	}

	public static TestRedis start(int port) {
		return new TestRedis(EmbeddedRedis.findOrStart(port));
	}

	@Override
	public void close() throws IOException {
		this.redis.stop();
	}

}
