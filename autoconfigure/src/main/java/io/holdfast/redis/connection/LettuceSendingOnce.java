package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.Optional;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.resource.ClientResources;

import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * The application's client options, changed so that no command is sent twice. With its
 * usual options, Lettuce repeats commands after a reconnect. A client that rejects
 * commands while disconnected also fails those that were under way.
 *
 * @param application where the application's connections come from
 */
record LettuceSendingOnce(LettuceConnectionFactory application) implements LettuceClientConfiguration {

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
