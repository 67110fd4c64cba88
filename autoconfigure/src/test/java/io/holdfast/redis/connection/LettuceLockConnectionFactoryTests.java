package io.holdfast.redis.connection;

import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.holdfast.redis.connection.LockConnectionFactory.Target;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisReplication;
import io.holdfast.test.Threads;
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
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Where connections for locks go that are like an application's.
 */
@Tag("any-jdk")
class LettuceLockConnectionFactoryTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final String ENDPOINTS = "cluster-preferred-endpoint-type";

	@RegisterExtension
	static final RedisReplication redis = new RedisReplication(1);

	@RegisterExtension
	static final RedisCluster cluster = new RedisCluster();

	@Test
	void nowhereForServersThatItsMethodsDoNotReveal() {
		RedisConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", redis.master().port());
		assertThat(LettuceLockConnectionFactory.like(new LettuceConnectionFactory(server))).isNull();
		RedisStaticMasterReplicaConfiguration servers = new RedisStaticMasterReplicaConfiguration("127.0.0.1");
		servers.setPassword("secret");
		assertThat(LettuceLockConnectionFactory.like(new LettuceConnectionFactory(servers))).isNull();
	}

	@Test
	void nowhereForAMasterThatIsNamedWithItsReplicas() {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStaticMasterReplicaConfiguration("127.0.0.1", redis.master().port()));
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

	private static void write(RedisConnectionFactory factory, String key) {
		try (RedisConnection connection = factory.getConnection()) {
			connection.stringCommands().set(key.getBytes(UTF_8), key.getBytes(UTF_8));
		}
	}

	@Test
	void nowhereForAnApplicationsOwnClass() {
		assertThat(LettuceLockConnectionFactory.like(new LettuceConnectionFactory() {
		})).isNull();
	}

	@Test
	void areThereForAsLongAsTheApplicationsAre() {
		LettuceConnectionFactory application = new LettuceConnectionFactory("127.0.0.1", redis.master().port());
		LettuceLockConnectionFactory own = LettuceLockConnectionFactory.like(application);
		assertThatIllegalStateException().isThrownBy(own::getConnection);
		application.start();
		write(own, "started");
		own.stop();
		write(own, "again");
		application.stop();
		own.stop();
		assertThatIllegalStateException().isThrownBy(own::getConnection);
		application.start();
		write(own, "restarted");
		own.destroy();
		application.destroy();
	}

	/**
	 * What the application does over its own connection is not in the way, and the other
	 * way round.
	 */
	@Test
	void areOthersThanTheApplications() {
		LettuceConnectionFactory application = Connections.patientLettuce(redis.master().port());
		LettuceLockConnectionFactory own = LettuceLockConnectionFactory.like(application);
		try (Jedis jedis = redis.master().connect()) {
			write(application, "application");
			long before = jedis.clientList().lines().count();
			write(own, "locks");
			assertThat(jedis.clientList().lines()).hasSize((int) before + 1);
			own.destroy();
			await().untilAsserted(() -> assertThat(jedis.clientList().lines()).hasSize((int) before));
			write(application, "after");
		}
		finally {
			application.destroy();
		}
	}

	static Stream<IntFunction<LettuceConnectionFactory>> servers() {
		return Stream.of((port) -> Connections.lettuce(port, TIMEOUT), (port) -> lettuceCluster(port, TIMEOUT));
	}

	private static LettuceConnectionFactory lettuceCluster(int port, Duration timeout) {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisClusterConfiguration(List.of("127.0.0.1:" + port)),
				LettuceClientConfiguration.builder().commandTimeout(timeout).build());
		application.afterPropertiesSet();
		application.start();
		return application;
	}

	/**
	 * The server accepts connections and says nothing.
	 */
	@ParameterizedTest
	@MethodSource("servers")
	void callersWaitForTheSameAttemptToConnect(IntFunction<LettuceConnectionFactory> client) throws Exception {
		try (ServerSocket silent = new ServerSocket(0)) {
			LettuceConnectionFactory application = client.apply(silent.getLocalPort());
			LettuceLockConnectionFactory own = LettuceLockConnectionFactory.like(application);
			List<CompletableFuture<Long>> callers = Stream.generate(() -> Threads.start(() -> ask(own)))
				.limit(8)
				.toList();
			try (Socket asked = silent.accept()) {
				for (CompletableFuture<Long> caller : callers) {
					assertThatThrownBy(() -> caller.get(TIMEOUT.multipliedBy(3).toMillis(), TimeUnit.MILLISECONDS))
						.isInstanceOf(ExecutionException.class)
						.hasCauseInstanceOf(RedisConnectionFailureException.class);
				}
				assertThat(asked.isConnected()).isTrue();
			}
			silent.setSoTimeout(1);
			assertThatThrownBy(silent::accept).isInstanceOf(SocketTimeoutException.class);
			own.destroy();
			application.destroy();
		}
	}

	static Stream<RedisConfiguration> kindsOfServers() {
		return Stream.of(new RedisStandaloneConfiguration("127.0.0.1", redis.master().port()),
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
			await().ignoreExceptionsInstanceOf(RedisConnectionFailureException.class).until(() -> ask(own) == 1);
		}
		finally {
			own.destroy();
			resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
		}
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

	@Test
	void connectionThatComesAfterItsCallerHasLeftIsClosed() {
		LettuceConnectionFactory application = Connections.patientLettuce(redis.master().port());
		LettuceLockConnectionFactory own = LettuceLockConnectionFactory.like(application);
		try (Jedis jedis = redis.master().connect()) {
			int before = jedis.clientList().lines().toList().size();
			redis.master().freeze();
			CompletableFuture<Thread> thread = new CompletableFuture<>();
			CompletableFuture<Boolean> caller = Threads.start(() -> {
				thread.complete(Thread.currentThread());
				return own.open().ask(null, true, (connection) -> true);
			});
			await().until(() -> Threads.join(thread).getState().name().endsWith("WAITING"));
			Threads.join(thread).interrupt();
			assertThatThrownBy(() -> caller.get(5, TimeUnit.SECONDS))
				.hasRootCauseInstanceOf(InterruptedException.class);
			redis.master().unfreeze();
			await().untilAsserted(() -> assertThat(jedis.clientList().lines()).hasSize(before));
		}
		finally {
			redis.master().unfreeze();
			own.destroy();
			application.destroy();
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

	static Stream<IntFunction<LettuceConnectionFactory>> patientServers() {
		return Stream.of(Connections::patientLettuce, (port) -> lettuceCluster(port, Duration.ofMinutes(1)));
	}

	@ParameterizedTest
	@MethodSource("patientServers")
	void interruptsAndTheEndDoNotWaitForAnAttemptToConnect(IntFunction<LettuceConnectionFactory> client)
			throws Exception {
		try (ServerSocket silent = new ServerSocket(0)) {
			LettuceConnectionFactory application = client.apply(silent.getLocalPort());
			LettuceLockConnectionFactory own = LettuceLockConnectionFactory.like(application);
			List<Thread> callers = new CopyOnWriteArrayList<>();
			CompletableFuture<Long> first = Threads.start(() -> {
				callers.add(Thread.currentThread());
				return ask(own, "key", false);
			});
			try (Socket asked = silent.accept()) {
				CompletableFuture<Long> second = Threads.start(() -> {
					callers.add(Thread.currentThread());
					return ask(own);
				});
				await().until(() -> callers.size() == 2
						&& callers.stream().allMatch((caller) -> caller.getState().name().endsWith("WAITING")));
				callers.forEach(Thread::interrupt);
				assertThatThrownBy(() -> second.get(5, TimeUnit.SECONDS))
					.hasRootCauseInstanceOf(InterruptedException.class);
				assertThat(first).isNotDone();
				Threads.join(Threads.start(() -> {
					own.destroy();
					return true;
				}));
				assertThatThrownBy(() -> first.get(5, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
				assertThat(asked.isConnected()).isTrue();
			}
			application.destroy();
		}
	}

	@Test
	void closingEndsTheWaitForTheNextAttempt() throws Exception {
		ClientResources resources = ClientResources.create();
		LettuceClientConfiguration options = LettuceClientConfiguration.builder().clientResources(resources).build();
		LettuceLockConnectionFactory own = new LettuceLockConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", 1), () -> options);
		for (int i = 0; i < 3; i++) {
			assertThatThrownBy(() -> ask(own)).hasRootCauseInstanceOf(ConnectException.class);
		}
		CompletableFuture<Thread> caller = new CompletableFuture<>();
		CompletableFuture<Long> asked = Threads.start(() -> {
			caller.complete(Thread.currentThread());
			return ask(own, "key", false);
		});
		await().until(() -> asked.isDone() || Threads.join(caller).getState() == Thread.State.WAITING);
		own.destroy();
		resources.shutdown(0, 1, TimeUnit.SECONDS);
		assertThatThrownBy(() -> asked.get(10, TimeUnit.SECONDS))
			.hasCauseInstanceOf(RedisConnectionFailureException.class);
	}

	@Test
	void thoseWhoWaitedForAFailedAttemptMakeNoOther() {
		AtomicInteger attempts = new AtomicInteger();
		CountDownLatch fails = new CountDownLatch(1);
		LockConnectionFactory connections = new LockConnectionFactory(
				() -> Target.of(new RedisStandaloneConfiguration(), "options", null), false, () -> true, 0) {
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

	private static long ask(LettuceLockConnectionFactory connections) {
		return ask(connections, "key");
	}

	private static long ask(LettuceLockConnectionFactory connections, String name) {
		return ask(connections, name, true);
	}

	private static long ask(LettuceLockConnectionFactory connections, String name, boolean interruptible) {
		byte[] key = name.getBytes(UTF_8);
		return (Long) ((List<?>) connections.open()
			.ask(key, interruptible, (connection) -> connection.eval("return {1}".getBytes(UTF_8), ReturnType.MULTI,
					List.of(key), List.of())))
			.get(0);
	}

}
