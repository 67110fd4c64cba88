package io.holdfast.redis.connection;

import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.builders.AbstractClientBuilder;
import redis.clients.jedis.executors.CommandExecutor;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClusterConnection;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.util.StringUtils;

/**
 * A client of Jedis, built as by Spring Data, except for the executor of its commands.
 */
record JedisServers(RedisConfiguration servers, JedisClientConfig config, UnifiedJedis jedis,
		JedisExecutor executor) implements LockServers {

	private static final int MOST_REDIRECTIONS = 5;

	static JedisServers of(RedisConfiguration servers, JedisClientConfiguration client,
			GenericObjectPoolConfig<Connection> pool) {
		JedisClientConfig config = config(client, RedisConfiguration.getDatabaseOrElse(servers, () -> 0),
				RedisConfiguration.getUsernameOrElse(servers, () -> ""),
				RedisConfiguration.getPasswordOrElse(servers, RedisPassword::none));
		AtomicReference<@Nullable JedisExecutor> executor = new AtomicReference<>();
		AbstractClientBuilder<?, ? extends UnifiedJedis> builder = builder(servers, client, (connections) -> {
			executor.set(new JedisExecutor(connections, mostRedirections(servers), pool.getMaxIdle()));
			return Objects.requireNonNull(executor.get());
		});
		builder.clientConfig(config);
		builder.poolConfig(pool);
		client.getClientCustomizer().ifPresent((customizer) -> customizer.customize(builder));
		UnifiedJedis jedis = builder.build();
		return new JedisServers(servers, config, jedis, Objects.requireNonNull(executor.get()));
	}

	private static int mostRedirections(RedisConfiguration servers) {
		Integer redirections = (servers instanceof RedisClusterConfiguration cluster) ? cluster.getMaxRedirects()
				: null;
		return (redirections != null) ? redirections : MOST_REDIRECTIONS;
	}

	private static AbstractClientBuilder<?, ? extends UnifiedJedis> builder(RedisConfiguration servers,
			JedisClientConfiguration client, Function<ConnectionProvider, CommandExecutor> executor) {
		if (servers instanceof RedisClusterConfiguration cluster) {
			return new RedisClusterClient.Builder() {
				@Override
				protected RedisClusterClient createClient() {
					this.commandExecutor = executor.apply(this.connectionProvider);
					return super.createClient();
				}
			}.nodes(addresses(cluster.getClusterNodes()));
		}
		if (servers instanceof RedisSentinelConfiguration sentinel) {
			return new RedisSentinelClient.Builder() {
				@Override
				protected RedisSentinelClient createClient() {
					this.commandExecutor = executor.apply(this.connectionProvider);
					return super.createClient();
				}
			}.masterName(Objects.requireNonNull(sentinel.getMaster()).getName())
				.sentinels(addresses(sentinel.getSentinels()))
				.sentinelClientConfig(
						config(client, 0, sentinel.getSentinelUsername(), sentinel.getSentinelPassword()));
		}
		return new RedisClient.Builder() {
			@Override
			protected RedisClient createClient() {
				this.commandExecutor = executor.apply(this.connectionProvider);
				return super.createClient();
			}
		}.hostAndPort(address(servers));
	}

	private static JedisClientConfig config(JedisClientConfiguration client, int database, @Nullable String username,
			RedisPassword password) {
		DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
			.connectionTimeoutMillis(Math.toIntExact(client.getConnectTimeout().toMillis()))
			.socketTimeoutMillis(Math.toIntExact(client.getReadTimeout().toMillis()))
			.user(StringUtils.hasLength(username) ? username : null)
			.password(password.toOptional().map(String::new).orElse(null))
			.database(database)
			.clientName(client.getClientName().orElse(null))
			.ssl(client.isUseSsl())
			.sslSocketFactory(client.getSslSocketFactory().orElse(null))
			.sslParameters(client.getSslParameters().orElse(null))
			.hostnameVerifier(client.getHostnameVerifier().orElse(null));
		client.getClientConfigCustomizer().ifPresent((customizer) -> customizer.customize(config));
		return config.build();
	}

	private static Set<HostAndPort> addresses(Collection<RedisNode> nodes) {
		return nodes.stream()
			.map((node) -> new HostAndPort(node.getRequiredHost(), node.getRequiredPort()))
			.collect(Collectors.toSet());
	}

	private static HostAndPort address(RedisConfiguration servers) {
		RedisStandaloneConfiguration server = (RedisStandaloneConfiguration) servers;
		return new HostAndPort(server.getHostName(), server.getPort());
	}

	@Override
	public <T extends @Nullable Object> T ask(byte[] key, boolean interruptible, Function<LockConnection, T> question) {
		return this.executor.ask(key, interruptible, question);
	}

	@Override
	public <T extends @Nullable Object> T askAlone(Function<LockConnection, T> question) {
		return this.executor.ask(null, true, question);
	}

	@Override
	public RedisConnection connection() {
		return (this.jedis instanceof RedisClusterClient cluster) ? new JedisClusterConnection(cluster)
				: new JedisConnection(this.jedis);
	}

	/**
	 * With a connection of the pool, an error that hits the subscribed thread would leave
	 * it subscribed.
	 */
	@Override
	public RedisConnection subscriptionConnection() {
		JedisClientConfig listening = DefaultJedisClientConfig.builder()
			.from(this.config)
			.blockingSocketTimeoutMillis(Math.toIntExact(LockConnectionFactory.LONGEST_SILENCE.toMillis()))
			.build();
		GenericObjectPoolConfig<Connection> noPool = new GenericObjectPoolConfig<>();
		noPool.setMaxIdle(0);
		noPool.setJmxEnabled(false);
		// One that Jedis creates by itself would be known to a manager of credentials for
		// ever
		ConnectionProvider connections = new PooledConnectionProvider(new ConnectionFactory(publisher(), listening),
				noPool);
		return new JedisConnection(
				RedisClient.builder().clientConfig(listening).connectionProvider(connections).build());
	}

	/**
	 * Return a server whose subscribers receive what is published.
	 */
	private HostAndPort publisher() {
		ConnectionProvider connections = this.executor.connections();
		if (connections instanceof ClusterConnectionProvider) {
			return this.executor.nodeOf(ThreadLocalRandom.current().nextInt(JedisExecutor.SLOTS));
		}
		return (connections instanceof SentineledConnectionProvider sentinels) ? sentinels.getCurrentMaster()
				: address(this.servers);
	}

	@Override
	public void close() {
		this.jedis.close();
	}

}
