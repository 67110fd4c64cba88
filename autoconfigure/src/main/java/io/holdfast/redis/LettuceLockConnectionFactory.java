package io.holdfast.redis;

import java.time.Duration;
import java.util.Optional;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * Connects to where an application does, by a client of Lettuce that sends each command
 * once. It is started when the first connection is asked for, but not before the
 * application's is.
 *
 * @since 0.1.0
 */
public final class LettuceLockConnectionFactory extends LettuceConnectionFactory implements LockConnections {

	private final LettuceConnectionFactory application;

	private LettuceLockConnectionFactory(LettuceConnectionFactory application, RedisConfiguration servers) {
		super(servers, new SendingOnce(application));
		this.application = application;
	}

	/**
	 * Create a factory that connects to where an application does.
	 * @param application where the application's connections come from
	 * @return the factory, or {@code null} when the application may connect in a way of
	 * its own
	 */
	public static @Nullable LettuceLockConnectionFactory like(LettuceConnectionFactory application) {
		RedisConfiguration servers = (application.getClass() == LettuceConnectionFactory.class) ? servers(application)
				: null;
		return (servers != null) ? new LettuceLockConnectionFactory(application, servers) : null;
	}

	/**
	 * Return which servers a factory connects to. Its methods tell it in some cases only,
	 * not for static masters with replicas.
	 */
	private static @Nullable RedisConfiguration servers(LettuceConnectionFactory application) {
		DirectFieldAccessor fields = new DirectFieldAccessor(application);
		return fields.isReadableProperty("configuration")
				? (RedisConfiguration) fields.getPropertyValue("configuration") : null;
	}

	@Override
	public RedisConnection getConnection() {
		if (!isRunning()) {
			startWithApplication();
		}
		return super.getConnection();
	}

	private synchronized void startWithApplication() {
		if (isRunning() || !this.application.isRunning()) {
			return;
		}
		try {
			start();
		}
		catch (RuntimeException | Error ex) {
			stop();
			throw ex;
		}
	}

	@Override
	public boolean replaceAll() {
		return false;
	}

	/**
	 * What an application has set about its client, for one that sends no command twice.
	 * With its usual options, Lettuce sends commands again when it has reconnected. One
	 * that rejects commands while it is disconnected lets those fail as well that were
	 * under way.
	 *
	 * @param application where the application's connections come from
	 */
	private record SendingOnce(LettuceConnectionFactory application) implements LettuceClientConfiguration {

		private LettuceClientConfiguration client() {
			return this.application.getClientConfiguration();
		}

		@Override
		public Optional<ClientOptions> getClientOptions() {
			ClientOptions options = client().getClientOptions().orElseGet(ClientOptions::create);
			return Optional.of(options.mutate()
				.autoReconnect(true)
				.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
				.build());
		}

		/**
		 * Share the application's threads.
		 */
		@Override
		public Optional<ClientResources> getClientResources() {
			return client().getClientResources()
				.or(() -> Optional.of(this.application.getRequiredNativeClient().getResources()));
		}

		@Override
		public boolean isUseSsl() {
			return client().isUseSsl();
		}

		@Override
		@Deprecated
		public boolean isVerifyPeer() {
			return client().isVerifyPeer();
		}

		@Override
		public SslVerifyMode getVerifyMode() {
			return client().getVerifyMode();
		}

		@Override
		public boolean isStartTls() {
			return client().isStartTls();
		}

		@Override
		public Optional<ReadFrom> getReadFrom() {
			return client().getReadFrom();
		}

		@Override
		public Optional<RedisCredentialsProviderFactory> getRedisCredentialsProviderFactory() {
			return client().getRedisCredentialsProviderFactory();
		}

		@Override
		public Optional<String> getClientName() {
			return client().getClientName();
		}

		@Override
		public Duration getCommandTimeout() {
			return client().getCommandTimeout();
		}

		@Override
		public Duration getShutdownTimeout() {
			return client().getShutdownTimeout();
		}

		@Override
		public Duration getShutdownQuietPeriod() {
			return client().getShutdownQuietPeriod();
		}

	}

}
