package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;
import org.springframework.util.StringUtils;

/**
 * Where Lettuce connects to and how, as by Spring Data, except that it repeats no command
 * and does not reconnect.
 */
record LettuceSettings(RedisConfiguration servers, LettuceClientConfiguration client) {

	// The Sentinels that know the server are part of its address
	RedisURI address() {
		if (this.servers instanceof RedisSentinelConfiguration sentinels) {
			return address(sentinels);
		}
		if (this.servers instanceof RedisSocketConfiguration socket) {
			return configure(RedisURI.Builder.socket(socket.getSocket()).build());
		}
		RedisStandaloneConfiguration server = (RedisStandaloneConfiguration) this.servers;
		return address(server.getHostName(), server.getPort());
	}

	private RedisURI address(RedisSentinelConfiguration sentinels) {
		RedisURI address = configure(LettuceConverters.sentinelConfigurationToRedisURI(sentinels));
		address.getSentinels().forEach(this::configureTransport);
		this.client.getRedisCredentialsProviderFactory()
			.map((factory) -> factory.createSentinelCredentialsProvider(sentinels))
			.ifPresent((credentials) -> address.getSentinels()
				.forEach((sentinel) -> sentinel.setCredentialsProvider(credentials)));
		return address;
	}

	RedisURI address(String host, int port) {
		return configure(RedisURI.create(host, port));
	}

	private RedisURI configure(RedisURI address) {
		configureTransport(address);
		address.setDatabase(RedisConfiguration.getDatabaseOrElse(this.servers, () -> 0));
		address.setCredentialsProvider(this.client.getRedisCredentialsProviderFactory()
			.map((factory) -> factory.createCredentialsProvider(this.servers))
			.orElseGet(this::password));
		return address;
	}

	private void configureTransport(RedisURI address) {
		address.setTimeout(timeout());
		address.setSsl(this.client.isUseSsl());
		address.setVerifyPeer(this.client.getVerifyMode());
		address.setStartTls(this.client.isStartTls());
		this.client.getClientName().ifPresent(address::setClientName);
	}

	private RedisCredentialsProvider password() {
		String username = RedisConfiguration.getUsernameOrElse(this.servers, () -> "");
		RedisPassword password = RedisConfiguration.getPasswordOrElse(this.servers, RedisPassword::none);
		return StringUtils.hasText(username)
				? new StaticCredentialsProvider(username, password.toOptional().orElse(new char[0]))
				: new StaticCredentialsProvider(null, password.toOptional().orElse(null));
	}

	Duration timeout() {
		return this.client.getCommandTimeout();
	}

	// In milliseconds, for a connection and its first answer
	private long longestAttempt() {
		return timeout().isZero() ? Long.MAX_VALUE
				: timeout().plus(options().getSocketOptions().getConnectTimeout()).toMillis();
	}

	// Ends an attempt that does not end by itself. The JDK's timer is a thread of the
	// whole JVM, and keeps the class loader of the application that starts it
	void limit(CompletableFuture<?> attempt, ClientResources resources) {
		long longest = longestAttempt();
		if (longest < Long.MAX_VALUE && !attempt.isDone()) {
			Future<?> end = resources.eventExecutorGroup()
				.schedule(() -> attempt.completeExceptionally(new TimeoutException()), longest, TimeUnit.MILLISECONDS);
			attempt.whenComplete((done, failure) -> end.cancel(false));
		}
	}

	private ClientOptions options() {
		return this.client.getClientOptions()
			.orElseGet(ClientOptions::create)
			.mutate()
			.autoReconnect(false)
			.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
			.build();
	}

	ClusterClientOptions clusterOptions() {
		ClientOptions options = options();
		ClusterClientOptions.Builder cluster = (options instanceof ClusterClientOptions known) ? known.mutate()
				: ClusterClientOptions.builder(options);
		Integer redirections = ((RedisClusterConfiguration) this.servers).getMaxRedirects();
		if (redirections != null) {
			cluster.maxRedirects(redirections);
		}
		return cluster.build();
	}

	RedisClient client(@Nullable ClientResources resources) {
		RedisClient client = (resources != null) ? RedisClient.create(resources) : RedisClient.create();
		client.setOptions(options());
		return client;
	}

	// Shares the threads of the other client
	RedisClusterClient topology(RedisClient client) {
		List<RedisURI> nodes = ((RedisClusterConfiguration) this.servers).getClusterNodes()
			.stream()
			.map((node) -> address(node.getRequiredHost(), node.getRequiredPort()))
			.toList();
		RedisClusterClient topology = RedisClusterClient.create(client.getResources(), nodes);
		topology.setOptions(clusterOptions());
		return topology;
	}

	// Not waited for without limit: if the application has ended the threads that both
	// share, nothing reports that a connection is closed
	void shutdown(AbstractRedisClient client) {
		Duration quiet = this.client.getShutdownQuietPeriod();
		Duration timeout = this.client.getShutdownTimeout();
		CompletableFuture<Void> end = client.shutdownAsync(quiet.toMillis(), timeout.toMillis(), TimeUnit.MILLISECONDS);
		try {
			end.get(quiet.plus(timeout).plusSeconds(1).toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			// it is not used any more
		}
	}

}
