package io.holdfast.faults.fault;

import java.time.Duration;

import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisSentinels;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.args.ClientType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * That nothing happens to Sentinels when applications lose their subscriptions.
 */
@Tag("any-jdk")
class SubscribersTests {

	@Test
	void sparesSentinels() {
		try (RedisSentinels servers = new RedisSentinels(Duration.ofSeconds(30))) {
			servers.start();
			RedisProcess master = servers.currentMasterProcess();
			try (Jedis jedis = master.connect(); Jedis application = master.connect()) {
				await().atMost(Duration.ofSeconds(30))
					.until(() -> jedis.clientList(ClientType.PUBSUB).lines().count() == 3);
				application.sendCommand(Protocol.Command.SUBSCRIBE, "channel");
				assertThat(Subscribers.kill(master)).isOne();
				assertThat(jedis.clientList(ClientType.PUBSUB).lines()).hasSize(3)
					.allMatch((client) -> client.contains("name=sentinel-"));
			}
		}
	}

}
