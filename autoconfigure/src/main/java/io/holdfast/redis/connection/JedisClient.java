package io.holdfast.redis.connection;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.builders.AbstractClientBuilder;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.util.StringUtils;

/**
 * A client of Jedis, built as by Spring Data, except for the lending of its connections.
 *
 * @param jedis asks over connections of pools
 * @param executor lends those connections
 * @param unpooled makes a connection for each that listens
 */
record JedisClient(UnifiedJedis jedis, JedisExecutor executor, UnifiedJedis unpooled) {

	private static final int MOST_REDIRECTIONS = 5;

	/**
	 * Build a client.
	 * @param servers where to connect to
	 * @param client how
	 * @param pool how many connections there may be to each server
	 */
	static JedisClient of(RedisConfiguration servers, JedisClientConfiguration client,
			GenericObjectPoolConfig<Connection> pool) {
		JedisClientConfig config = config(client, RedisConfiguration.getDatabaseOrElse(servers, () -> 0),
				RedisConfiguration.getUsernameOrElse(servers, () -> ""),
				RedisConfiguration.getPasswordOrElse(servers, RedisPassword::none));
		Lending lending = new Lending(new AtomicReference<>());
		AbstractClientBuilder<?, ? extends UnifiedJedis> builder = builder(servers, client, lending);
		builder.clientConfig(config);
		builder.poolConfig(pool);
		client.getClientCustomizer().ifPresent((customizer) -> customizer.customize(builder));
		UnifiedJedis jedis = builder.build();
		JedisExecutor executor = Objects.requireNonNull(lending.executor().get());
		return new JedisClient(jedis, executor, unpooled(servers, executor, config));
	}

	private static UnifiedJedis unpooled(RedisConfiguration servers, JedisExecutor executor, JedisClientConfig config) {
		JedisClientConfig listening = DefaultJedisClientConfig.builder()
			.from(config)
			.blockingSocketTimeoutMillis(Math.toIntExact(LockConnectionFactory.LONGEST_SILENCE.toMillis()))
			.build();
		ConnectionProvider connections = new Unpooled(() -> server(servers, executor.servers()), listening);
		return RedisClient.builder().clientConfig(listening).connectionProvider(connections).build();
	}

	private static AbstractClientBuilder<?, ? extends UnifiedJedis> builder(RedisConfiguration servers,
			JedisClientConfiguration client, Lending lending) {
		if (servers instanceof RedisClusterConfiguration cluster) {
			Integer redirections = cluster.getMaxRedirects();
			return new ClusterBuilder((redirections != null) ? redirections : MOST_REDIRECTIONS, lending)
				.nodes(addresses(cluster.getClusterNodes()));
		}
		if (servers instanceof RedisSentinelConfiguration sentinel) {
			return new SentinelBuilder(lending).masterName(Objects.requireNonNull(sentinel.getMaster()).getName())
				.sentinels(addresses(sentinel.getSentinels()))
				.sentinelClientConfig(
						config(client, 0, sentinel.getSentinelUsername(), sentinel.getSentinelPassword()));
		}
		return new StandaloneBuilder(lending).hostAndPort(address(servers));
	}

	private static JedisClientConfig config(JedisClientConfiguration client, int database, @Nullable String username,
			RedisPassword password) {
		DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
			.connectionTimeoutMillis(Math.toIntExact(client.getConnectTimeout().toMillis()))
			.socketTimeoutMillis(Math.toIntExact(client.getReadTimeout().toMillis()))
			.database(database)
			.ssl(client.isUseSsl());
		client.getClientName().ifPresent(config::clientName);
		if (StringUtils.hasLength(username)) {
			config.user(username);
		}
		password.toOptional().map(String::new).ifPresent(config::password);
		client.getSslSocketFactory().ifPresent(config::sslSocketFactory);
		client.getSslParameters().ifPresent(config::sslParameters);
		client.getHostnameVerifier().ifPresent(config::hostnameVerifier);
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

	/**
	 * Return a server whose subscribers receive what is published.
	 */
	private static HostAndPort server(RedisConfiguration servers, ConnectionProvider provider) {
		if (provider instanceof ClusterConnectionProvider cluster) {
			List<String> nodes = List.copyOf(cluster.getPrimaryNodes().keySet());
			return HostAndPort.from(nodes.get(ThreadLocalRandom.current().nextInt(nodes.size())));
		}
		return (provider instanceof SentineledConnectionProvider sentinels) ? sentinels.getCurrentMaster()
				: address(servers);
	}

	void close() {
		this.jedis.close();
	}

	/**
	 * Makes connections that are closed when they are given back.
	 */
	private record Unpooled(Supplier<HostAndPort> server, JedisClientConfig config) implements ConnectionProvider {

		@Override
		public Connection getConnection() {
			return new Connection(this.server.get(), this.config);
		}

		@Override
		public Connection getConnection(CommandArguments arguments) {
			return getConnection();
		}

		@Override
		public void close() {
			// Nothing is kept
		}

	}

	/**
	 * Has the client made with an executor that lends its connections.
	 *
	 * @param executor the executor, once it is there
	 */
	private record Lending(AtomicReference<@Nullable JedisExecutor> executor) {

		JedisExecutor executor(ConnectionProvider servers, int mostRedirections) {
			JedisExecutor lending = new JedisExecutor(servers, mostRedirections);
			this.executor.set(lending);
			return lending;
		}

	}

	private static final class StandaloneBuilder extends RedisClient.Builder {

		private final Lending lending;

		private StandaloneBuilder(Lending lending) {
			this.lending = lending;
		}

		@Override
		protected RedisClient createClient() {
			this.commandExecutor = this.lending.executor(this.connectionProvider, 0);
			return super.createClient();
		}

	}

	private static final class SentinelBuilder extends RedisSentinelClient.Builder {

		private final Lending lending;

		private SentinelBuilder(Lending lending) {
			this.lending = lending;
		}

		@Override
		protected RedisSentinelClient createClient() {
			this.commandExecutor = this.lending.executor(this.connectionProvider, 0);
			return super.createClient();
		}

	}

	private static final class ClusterBuilder extends RedisClusterClient.Builder {

		private final int mostRedirections;

		private final Lending lending;

		private ClusterBuilder(int mostRedirections, Lending lending) {
			this.mostRedirections = mostRedirections;
			this.lending = lending;
		}

		@Override
		protected RedisClusterClient createClient() {
			this.commandExecutor = this.lending.executor(this.connectionProvider, this.mostRedirections);
			return super.createClient();
		}

	}

}
