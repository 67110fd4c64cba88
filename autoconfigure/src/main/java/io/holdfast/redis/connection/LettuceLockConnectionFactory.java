package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceExceptionConverter;
import org.springframework.util.Assert;

/**
 * Makes connections for locks by Lettuce: one to each server, which all callers share.
 * Lettuce's own threads read the replies, so an error that hits a caller leaves nothing
 * behind.
 *
 * @since 0.1.0
 */
public final class LettuceLockConnectionFactory implements LockConnectionFactory {

	private final LettuceSettings settings;

	private final Supplier<Optional<ClientResources>> resources;

	private final BooleanSupplier ready;

	private final int phase;

	private volatile @Nullable Clients open;

	private boolean destroyed;

	/**
	 * Create a factory.
	 * @param servers the servers to connect to
	 * @param client the client's options
	 */
	public LettuceLockConnectionFactory(RedisConfiguration servers, LettuceClientConfiguration client) {
		this(servers, client, client::getClientResources, () -> true, 0);
	}

	private LettuceLockConnectionFactory(RedisConfiguration servers, LettuceClientConfiguration client,
			Supplier<Optional<ClientResources>> resources, BooleanSupplier ready, int phase) {
		Assert.notNull(servers, "'servers' must not be null");
		Assert.notNull(client, "'client' must not be null");
		this.settings = new LettuceSettings(servers, client);
		this.resources = resources;
		this.ready = ready;
		this.phase = phase;
	}

	/**
	 * Create a factory for the servers of an application, to use while the application's
	 * own factory is started. It shares the application's threads.
	 * @param application where the application's connections come from
	 * @return the factory, or {@code null} if the application's connections cannot be
	 * copied
	 */
	public static @Nullable LettuceLockConnectionFactory like(LettuceConnectionFactory application) {
		RedisConfiguration servers = (application.getClass() == LettuceConnectionFactory.class) ? servers(application)
				: null;
		if (servers == null) {
			return null;
		}
		return new LettuceLockConnectionFactory(servers, application.getClientConfiguration(),
				() -> Optional.of(resources(application)), application::isRunning, application.getPhase());
	}

	/**
	 * Return which servers a factory connects to, if its methods reveal that.
	 */
	private static @Nullable RedisConfiguration servers(LettuceConnectionFactory application) {
		RedisStandaloneConfiguration server = application.getStandaloneConfiguration();
		return Stream
			.<RedisConfiguration>of(application.getClusterConfiguration(), application.getSentinelConfiguration(),
					application.getSocketConfiguration())
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(isServerOf(application, server) ? server : null);
	}

	private static boolean isServerOf(LettuceConnectionFactory application, RedisStandaloneConfiguration server) {
		return server.getHostName().equals(application.getHostName()) && server.getPort() == application.getPort()
				&& server.getDatabase() == application.getDatabase()
				&& Objects.equals(server.getPassword().map(String::new).orElse(null), application.getPassword());
	}

	private static ClientResources resources(LettuceConnectionFactory application) {
		Assert.state(!isStatic(application), "Locks cannot be kept on a static master with replicas "
				+ "('spring.data.redis.masterreplica.nodes'): use Sentinel, a Cluster, or an address that leads to the master");
		return application.getRequiredNativeClient().getResources();
	}

	/**
	 * By its methods, a static master with replicas looks like the default server.
	 */
	@SuppressWarnings("deprecation")
	private static boolean isStatic(LettuceConnectionFactory application) {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration();
		if (!server.equals(servers(application))) {
			return false;
		}
		try (RedisConnection connection = application.getConnection()) {
			return connection.getNativeConnection() instanceof RedisAsyncCommands<?, ?> commands
					&& commands.getStatefulConnection() instanceof StatefulRedisMasterReplicaConnection;
		}
	}

	@Override
	public <T extends @Nullable Object> T ask(byte[] key, Function<LockConnection, T> question) {
		return open().servers().ask(key, question);
	}

	@Override
	public <T extends @Nullable Object> T askAlone(Function<LockConnection, T> question) {
		return open().servers().askAlone(question);
	}

	@Override
	public boolean isCluster() {
		return this.settings.isCluster();
	}

	@Override
	public int mostForOthers() {
		return 0;
	}

	@Override
	public Duration longestWait() {
		return this.settings.timeout();
	}

	@Override
	public RedisConnection getConnection() {
		return open().servers().connection();
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return (RedisClusterConnection) getConnection();
	}

	@Override
	public RedisConnection getSubscriptionConnection() {
		return open().servers().subscriptionConnection();
	}

	@Override
	public RedisSentinelConnection getSentinelConnection() {
		throw new UnsupportedOperationException("Locks ask no Sentinel");
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return true;
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
		return new LettuceExceptionConverter().convert(ex);
	}

	private Clients open() {
		Clients clients = this.open;
		return (clients != null) ? clients : openOnce();
	}

	private synchronized Clients openOnce() {
		Clients clients = this.open;
		if (clients == null) {
			if (this.destroyed || !this.ready.getAsBoolean()) {
				throw new IllegalStateException("The connections of the application are closed, or not open yet");
			}
			clients = Clients.of(this.settings, this.resources.get().orElse(null));
			this.open = clients;
		}
		return clients;
	}

	@Override
	public void start() {
		// The first caller that asks for a connection does
	}

	@Override
	public synchronized void stop() {
		Clients clients = this.open;
		if (clients != null) {
			this.open = null;
			clients.shutdown(this.settings.client());
		}
	}

	@Override
	public boolean isRunning() {
		return this.open != null;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

	@Override
	public synchronized void destroy() {
		this.destroyed = true;
		stop();
	}

	/**
	 * Clients of Lettuce.
	 *
	 * @param servers what they connect to
	 * @param all the clients
	 */
	private record Clients(LettuceServers servers, List<AbstractRedisClient> all) {

		static Clients of(LettuceSettings settings, @Nullable ClientResources resources) {
			RedisClient client = (resources != null) ? RedisClient.create(resources) : RedisClient.create();
			client.setOptions(settings.options());
			if (!settings.isCluster()) {
				return new Clients(new LettuceServer(client, settings.address()), List.of(client));
			}
			RedisClusterClient topology = RedisClusterClient.create(client.getResources(), settings.clusterNodes());
			topology.setOptions(settings.clusterOptions());
			return new Clients(new LettuceCluster(topology, settings, (address) -> new LettuceServer(client, address)),
					List.of(topology, client));
		}

		void shutdown(LettuceClientConfiguration client) {
			this.all.forEach((each) -> each.shutdown(client.getShutdownQuietPeriod(), client.getShutdownTimeout()));
		}

	}

}
