package io.holdfast.redis.connection;

import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.Assert;

/**
 * Makes connections for locks by Lettuce: one to each server, which all callers share.
 * Lettuce's own threads read the replies, so an error that hits a caller leaves nothing
 * behind.
 */
final class LettuceLockConnectionFactory extends LockConnectionFactory {

	private final @Nullable LettuceConnectionFactory application;

	LettuceLockConnectionFactory(RedisConfiguration servers, Supplier<LettuceClientConfiguration> client) {
		this(() -> Target.of(servers, client.get(), client.get().getClientResources().orElse(null)),
				servers instanceof RedisClusterConfiguration, null, () -> true, 0);
	}

	private LettuceLockConnectionFactory(Supplier<Target> target, boolean cluster,
			@Nullable LettuceConnectionFactory application, BooleanSupplier ready, int phase) {
		super(target, cluster, ready, phase);
		this.application = application;
	}

	// Usable while the application's own factory is started, whose threads it shares
	static @Nullable LettuceLockConnectionFactory like(LettuceConnectionFactory application) {
		if (application.getClass() != LettuceConnectionFactory.class || servers(application) == null) {
			return null;
		}
		return new LettuceLockConnectionFactory(
				() -> Target.of(Objects.requireNonNull(servers(application)), application.getClientConfiguration(),
						application.getRequiredNativeClient().getResources()),
				application.isClusterAware(), application, application::isRunning, application.getPhase());
	}

	// Null if the methods of the factory do not reveal its servers
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

	// By its methods, a static master with replicas looks like the default server
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
	LockServers connect(Target fresh) {
		Assert.state(this.application == null || !isStatic(this.application),
				"Locks cannot be kept on a static master with replicas "
						+ "('spring.data.redis.masterreplica.nodes'): use Sentinel, a Cluster, or an address that leads to the master");
		LettuceSettings settings = new LettuceSettings(fresh.servers(), (LettuceClientConfiguration) fresh.client());
		RedisClient redis = settings.client((ClientResources) fresh.resources());
		return isCluster() ? new LettuceCluster(settings, redis)
				: new LettuceServer(settings, redis, settings.address());
	}

}
