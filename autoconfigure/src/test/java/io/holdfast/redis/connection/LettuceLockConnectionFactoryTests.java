package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisMovedDataException;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Where connections for locks go that are like an application's.
 */
@Tag("any-jdk")
class LettuceLockConnectionFactoryTests {

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	private static final String ENDPOINTS = "cluster-preferred-endpoint-type";

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	@RegisterExtension
	static final RedisCluster cluster = new RedisCluster();

	@Test
	void nowhereForAMasterThatIsNamedWithItsReplicas() {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStaticMasterReplicaConfiguration("127.0.0.1", redis.port()));
		application.afterPropertiesSet();
		LettuceLockConnectionFactory own = LettuceLockConnectionFactory.like(application);
		try {
			assertThatIllegalStateException().isThrownBy(() -> ask(own))
				.withMessageContaining("spring.data.redis.masterreplica.nodes");
		}
		finally {
			own.destroy();
			application.destroy();
		}
	}

	@Test
	void nowhereForAnApplicationsOwnClassOrServersThatItsMethodsDoNotReveal() {
		assertThat(LettuceLockConnectionFactory.like(new LettuceConnectionFactory() {
		})).isNull();
		RedisStaticMasterReplicaConfiguration servers = new RedisStaticMasterReplicaConfiguration("127.0.0.1");
		servers.setPassword("secret");
		assertThat(LettuceLockConnectionFactory.like(new LettuceConnectionFactory(servers))).isNull();
	}

	@Test
	void areThereForAsLongAsTheApplicationsAre() {
		LettuceConnectionFactory application = new LettuceConnectionFactory("127.0.0.1", redis.port());
		LettuceLockConnectionFactory own = LettuceLockConnectionFactory.like(application);
		assertThatIllegalStateException().isThrownBy(own::open);
		application.start();
		assertThat(ask(own)).isEqualTo(1);
		application.stop();
		own.stop();
		assertThatIllegalStateException().isThrownBy(own::open);
		application.start();
		assertThat(ask(own)).isEqualTo(1);
		own.destroy();
		application.destroy();
	}

	@Test
	void thoseWhoWaitedForAFailedAttemptMakeNoOther() {
		AtomicInteger attempts = new AtomicInteger();
		CountDownLatch fails = new CountDownLatch(1);
		LockConnectionFactory connections = new LockConnectionFactory(
				() -> LockConnectionFactory.Target.of(new RedisStandaloneConfiguration(), "options", null), false,
				() -> true, 0) {
			@Override
			LockServers connect(Target fresh) {
				attempts.incrementAndGet();
				Threads.await(fails);
				throw new IllegalStateException("refused");
			}
		};
		List<Thread> callers = Stream.generate(
				() -> new Thread(() -> assertThatExceptionOfType(RuntimeException.class).isThrownBy(connections::open)))
			.limit(3)
			.toList();
		callers.get(0).start();
		await().until(() -> attempts.get() == 1);
		List<Thread> later = callers.subList(1, callers.size());
		later.forEach(Thread::start);
		await().until(() -> later.stream().allMatch((caller) -> caller.getState() == Thread.State.BLOCKED));
		fails.countDown();
		await().until(() -> callers.stream().noneMatch(Thread::isAlive));
		assertThat(attempts).hasValue(1);
	}

	static Stream<RedisConfiguration> kindsOfServers() {
		return Stream.of(new RedisStandaloneConfiguration("127.0.0.1", redis.port()),
				new RedisClusterConfiguration(List.of("127.0.0.1:" + cluster.nodeOf("key").port())));
	}

	/**
	 * As after an error on Lettuce's thread.
	 */
	@ParameterizedTest
	@MethodSource("kindsOfServers")
	void attemptThatNeverEndsIsMadeAgain(RedisConfiguration servers) {
		AtomicInteger attempts = new AtomicInteger();
		ClientResources resources = ClientResources.builder().nettyCustomizer(new NettyCustomizer() {
			@Override
			public void afterChannelInitialized(Channel channel) {
				if (attempts.incrementAndGet() == 1) {
					channel.pipeline().addFirst(new Deaf());
				}
			}
		}).build();
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.clientResources(resources)
			.clientOptions(ClusterClientOptions.builder()
				.socketOptions(SocketOptions.builder().connectTimeout(Duration.ofMillis(100)).build())
				.build())
			.commandTimeout(Duration.ofMillis(400))
			.build();
		LettuceLockConnectionFactory own = new LettuceLockConnectionFactory(servers, () -> client);
		try {
			assertThatExceptionOfType(RedisConnectionFailureException.class).isThrownBy(() -> ask(own));
			await().ignoreExceptions().until(() -> ask(own) == 1);
		}
		finally {
			own.destroy();
			resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
		}
	}

	/**
	 * As while another master of a Cluster hangs.
	 */
	@Test
	void connectionWithARequestUnderWayIsNotDroppedForTheSilenceOfAnotherServer() {
		LettuceClientConfiguration client = LettuceClientConfiguration.builder().commandTimeout(TIMEOUT).build();
		LettuceSettings settings = new LettuceSettings(new RedisStandaloneConfiguration("127.0.0.1", redis.port()),
				client);
		LettuceServer server = new LettuceServer(settings, settings.client(null), settings.address());
		try {
			assertThat(server.<Long>ask("key".getBytes(UTF_8), true, (connection) -> {
				server.dropIdleUnlessAnsweredSince(System.nanoTime());
				return one(connection, "key".getBytes(UTF_8));
			})).isEqualTo(1);
		}
		finally {
			server.close();
		}
	}

	/**
	 * As when the application has ended the threads that both clients share.
	 */
	@Test
	void clientThatNeverTellsItsEndIsLeft() {
		ClientResources resources = ClientResources.create();
		LettuceSettings settings = new LettuceSettings(new RedisStandaloneConfiguration(),
				LettuceClientConfiguration.defaultConfiguration());
		CompletableFuture<Void> end = new CompletableFuture<>();
		settings.shutdown(new RedisClient(resources, new RedisURI()) {
			@Override
			public CompletableFuture<Void> shutdownAsync(long quiet, long timeout, TimeUnit unit) {
				return end;
			}
		});
		assertThat(end).isNotDone();
		resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
	}

	/**
	 * Hears neither that its channel is registered nor that it is connected.
	 */
	private static final class Deaf extends ChannelInboundHandlerAdapter {

		@Override
		public void channelRegistered(ChannelHandlerContext context) {
		}

		@Override
		public void channelActive(ChannelHandlerContext context) {
		}

	}

	/**
	 * As with 'cluster-preferred-endpoint-type unknown-endpoint', which Redis has since
	 * 7.0.
	 */
	@Test
	void nodeThatNamesAPortWithoutAHostMeansItsOwnHost() {
		RedisProcess source = cluster.nodeOf("moved");
		RedisProcess target = otherThan(source);
		LettuceClientConfiguration client = LettuceClientConfiguration.builder().commandTimeout(TIMEOUT).build();
		LettuceLockConnectionFactory own = new LettuceLockConnectionFactory(
				new RedisClusterConfiguration(List.of("127.0.0.1:" + source.port())), () -> client);
		try (Jedis from = source.connect(); Jedis to = target.connect()) {
			assumeThat(from.configGet(ENDPOINTS)).isNotEmpty();
			assertThat(ask(own, "moved")).isEqualTo(1);
			from.configSet(ENDPOINTS, "unknown-endpoint");
			for (Jedis node : List.of(to, from)) {
				node.clusterSetSlotNode(SlotHash.getSlot("moved"), to.clusterMyId());
			}
			assertThatExceptionOfType(JedisMovedDataException.class).isThrownBy(() -> from.get("moved"))
				.withMessageContaining(" :" + target.port());
			to.configResetStat();
			assertThat(ask(own, "moved")).isEqualTo(1);
			assertThat(to.info("commandstats")).contains("cmdstat_eval:");
		}
		finally {
			own.destroy();
		}
	}

	private static RedisProcess otherThan(RedisProcess node) {
		return cluster.nodes().stream().filter((other) -> other != node).findFirst().orElseThrow();
	}

	private static long ask(LettuceLockConnectionFactory connections) {
		return ask(connections, "key");
	}

	private static long ask(LettuceLockConnectionFactory connections, String name) {
		byte[] key = name.getBytes(UTF_8);
		return connections.open().<Long>ask(key, true, (connection) -> one(connection, key));
	}

	private static Long one(LockConnection connection, byte[] key) {
		List<?> reply = (List<?>) connection.eval("return {1}".getBytes(UTF_8), ReturnType.MULTI, List.of(key),
				List.of());
		return (Long) reply.get(0);
	}

}
