package io.holdfast.redis.connection;

import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.builders.AbstractClientBuilder;
import redis.clients.jedis.executors.CommandExecutor;
import redis.clients.jedis.providers.ConnectionProvider;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.util.StringUtils;

/**
 * Where Jedis connects to and how, as by Spring Data, except for the executor of its
 * commands.
 */
record JedisSettings(RedisConfiguration servers, JedisClientConfiguration client, JedisClientConfig config) {

	private static final int MOST_REDIRECTIONS = 5;

	static JedisSettings of(RedisConfiguration servers, JedisClientConfiguration client) {
		return new JedisSettings(servers, client,
				config(client, RedisConfiguration.getDatabaseOrElse(servers, () -> 0),
						RedisConfiguration.getUsernameOrElse(servers, () -> ""),
						RedisConfiguration.getPasswordOrElse(servers, RedisPassword::none)));
	}

	UnifiedJedis client(GenericObjectPoolConfig<Connection> pool,
			Function<ConnectionProvider, CommandExecutor> executor) {
		AbstractClientBuilder<?, ? extends UnifiedJedis> builder = builder(executor);
		builder.clientConfig(this.config);
		builder.poolConfig(pool);
		this.client.getClientCustomizer().ifPresent((customizer) -> customizer.customize(builder));
		return builder.build();
	}

	int mostRedirections() {
		Integer redirections = (this.servers instanceof RedisClusterConfiguration cluster) ? cluster.getMaxRedirects()
				: null;
		return (redirections != null) ? redirections : MOST_REDIRECTIONS;
	}

	private AbstractClientBuilder<?, ? extends UnifiedJedis> builder(
			Function<ConnectionProvider, CommandExecutor> executor) {
		if (this.servers instanceof RedisClusterConfiguration cluster) {
			return new RedisClusterClient.Builder() {
				@Override
				protected RedisClusterClient createClient() {
					this.commandExecutor = executor.apply(this.connectionProvider);
					return super.createClient();
				}
			}.nodes(addresses(cluster.getClusterNodes()));
		}
		if (this.servers instanceof RedisSentinelConfiguration sentinel) {
			return new RedisSentinelClient.Builder() {
				@Override
				protected RedisSentinelClient createClient() {
					this.commandExecutor = executor.apply(this.connectionProvider);
					return super.createClient();
				}
			}.masterName(Objects.requireNonNull(sentinel.getMaster()).getName())
				.sentinels(addresses(sentinel.getSentinels()))
				.sentinelClientConfig(
						config(this.client, 0, sentinel.getSentinelUsername(), sentinel.getSentinelPassword()));
		}
		return new RedisClient.Builder() {
			@Override
			protected RedisClient createClient() {
				this.commandExecutor = executor.apply(this.connectionProvider);
				return super.createClient();
			}
		}.hostAndPort(address());
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

	HostAndPort address() {
		RedisStandaloneConfiguration server = (RedisStandaloneConfiguration) this.servers;
		return new HostAndPort(server.getHostName(), server.getPort());
	}

}
