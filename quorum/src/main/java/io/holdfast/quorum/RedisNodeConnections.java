package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.LogText;
import io.holdfast.autoconfigure.HoldfastProperties;
import io.holdfast.redis.connection.LockConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Connections to nodes, for locks only. Their factories are no beans: an application's
 * own stays the only one.
 */
class RedisNodeConnections implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(RedisNodeConnections.class);

	// Connections wait longer than callers, which go on without a node by themselves: so
	// an answer is read that is late because this JVM stood still
	private static final Duration MARGIN = Duration.ofSeconds(1);

	private final List<QuorumNode> nodes = new ArrayList<>();

	private final List<LockConnectionFactory> factories = new ArrayList<>();

	RedisNodeConnections(List<RedisNode> nodes, Duration nodeTimeout, Connector connector) {
		try {
			for (RedisNode node : nodes) {
				LockConnectionFactory factory = connector.connect(node, nodeTimeout.plus(MARGIN));
				this.factories.add(factory);
				this.nodes.add(new QuorumNode(node.server(), factory));
			}
		}
		catch (RuntimeException ex) {
			destroy();
			throw ex;
		}
	}

	List<QuorumNode> nodes() {
		return this.nodes;
	}

	// Close all that can be closed
	@Override
	public void destroy() {
		for (LockConnectionFactory factory : this.factories) {
			try {
				factory.destroy();
			}
			catch (RuntimeException ex) {
				logger.warn("Could not close the connections to a Redis node: {}", LogText.of(ex.getMessage()));
				logger.debug("Why they could not be closed", ex);
			}
		}
	}

	@FunctionalInterface
	interface Connector {

		LockConnectionFactory connect(RedisNode node, Duration timeout);

	}

	static final class Ssl {

		private volatile @Nullable SslBundle bundle;

		private Ssl(@Nullable SslBundle bundle) {
			this.bundle = bundle;
		}

		// Throws if there is no bundle of the name that is configured
		static Ssl of(HoldfastProperties properties, @Nullable SslBundles bundles) {
			String name = properties.redis().ssl().bundle();
			if (name == null) {
				return new Ssl(null);
			}
			try {
				if (bundles != null) {
					Ssl ssl = new Ssl(bundles.getBundle(name));
					bundles.addBundleUpdateHandler(name, (reloaded) -> ssl.bundle = reloaded);
					return ssl;
				}
			}
			catch (NoSuchSslBundleException ex) {
				// Told below
			}
			throw new InvalidConfigurationPropertyValueException("holdfast.redis.ssl.bundle", name,
					"There is no SSL bundle of that name below 'spring.ssl.bundle'.");
		}

		// They are made again when the bundle was reloaded
		<C> Supplier<C> options(Function<@Nullable SslBundle, C> maker) {
			return new Options<>(maker);
		}

		private final class Options<C> implements Supplier<C> {

			private final Function<@Nullable SslBundle, C> maker;

			private volatile Made<C> latest;

			private Options(Function<@Nullable SslBundle, C> maker) {
				this.maker = maker;
				this.latest = new Made<>(Ssl.this.bundle, maker.apply(Ssl.this.bundle));
			}

			@Override
			public C get() {
				SslBundle present = Ssl.this.bundle;
				Made<C> made = this.latest;
				if (made.bundle() != present) {
					made = new Made<>(present, this.maker.apply(present));
					this.latest = made;
				}
				return made.options();
			}

		}

		private record Made<C>(@Nullable SslBundle bundle, C options) {
		}

	}

}
