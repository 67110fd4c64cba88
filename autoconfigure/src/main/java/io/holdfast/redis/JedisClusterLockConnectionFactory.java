package io.holdfast.redis;

import java.util.stream.Collectors;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.executors.CommandExecutor;
import redis.clients.jedis.providers.ClusterConnectionProvider;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Connects to a Cluster by a client of Jedis that sends each command once.
 *
 * @since 0.1.0
 */
public final class JedisClusterLockConnectionFactory extends JedisConnectionFactory {

	private static final int MOST_REDIRECTIONS = 5;

	/**
	 * Create a factory that is not started.
	 * @param cluster the Cluster
	 * @param client what is set about the client
	 */
	public JedisClusterLockConnectionFactory(RedisClusterConfiguration cluster, JedisClientConfiguration client) {
		super(cluster, client);
		setUseUnifiedJedis(true);
	}

	/**
	 * Build the client as Spring Data does, with another executor.
	 */
	@Override
	protected RedisClusterClient createRedisClusterClient(RedisClusterConfiguration cluster) {
		GenericObjectPoolConfig<Connection> pool = getPoolConfig();
		Integer redirections = cluster.getMaxRedirects();
		ClientBuilder builder = new ClientBuilder((redirections != null) ? redirections : MOST_REDIRECTIONS);
		builder
			.nodes(cluster.getClusterNodes()
				.stream()
				.map((node) -> new HostAndPort(node.getRequiredHost(), node.getRequiredPort()))
				.collect(Collectors.toSet()))
			.clientConfig(clientConfig(cluster))
			.poolConfig((pool != null) ? pool : new ConnectionPoolConfig());
		getClientConfiguration().getClientCustomizer().ifPresent((customizer) -> customizer.customize(builder));
		return builder.build();
	}

	private JedisClientConfig clientConfig(RedisClusterConfiguration cluster) {
		JedisClientConfiguration client = getClientConfiguration();
		DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
			.connectionTimeoutMillis(Math.toIntExact(client.getConnectTimeout().toMillis()))
			.socketTimeoutMillis(Math.toIntExact(client.getReadTimeout().toMillis()))
			.ssl(client.isUseSsl());
		client.getClientName().ifPresent(config::clientName);
		if (StringUtils.hasLength(cluster.getUsername())) {
			config.user(cluster.getUsername());
		}
		cluster.getPassword().toOptional().map(String::new).ifPresent(config::password);
		client.getSslSocketFactory().ifPresent(config::sslSocketFactory);
		client.getSslParameters().ifPresent(config::sslParameters);
		client.getHostnameVerifier().ifPresent(config::hostnameVerifier);
		client.getClientConfigCustomizer().ifPresent((customizer) -> customizer.customize(config));
		return config.build();
	}

	private static final class ClientBuilder extends RedisClusterClient.Builder {

		private final int mostRedirections;

		ClientBuilder(int mostRedirections) {
			this.mostRedirections = mostRedirections;
		}

		@Override
		protected CommandExecutor createDefaultCommandExecutor() {
			return new JedisClusterExecutor((ClusterConnectionProvider) this.connectionProvider, this.mostRedirections);
		}

	}

}
