package io.holdfast.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * How connections to nodes with {@code rediss://} URLs are encrypted.
 *
 * @param bundle certificates and keys, or {@code null} for those of the JVM
 */
record NodeSsl(@Nullable SslBundle bundle) {

	/**
	 * Find the bundle that is configured, if one is.
	 * @throws InvalidConfigurationPropertyValueException when there is none of that name
	 */
	static NodeSsl of(HoldfastProperties properties, @Nullable SslBundles bundles) {
		String name = properties.getRedis().getSsl().getBundle();
		if (name == null) {
			return new NodeSsl(null);
		}
		try {
			if (bundles != null) {
				return new NodeSsl(bundles.getBundle(name));
			}
		}
		catch (NoSuchSslBundleException ex) {
			// Told below
		}
		throw new InvalidConfigurationPropertyValueException("holdfast.redis.ssl.bundle", name,
				"There is no SSL bundle of that name below 'spring.ssl.bundle'.");
	}

	String @Nullable [] ciphers() {
		return (this.bundle != null) ? this.bundle.getOptions().getCiphers() : null;
	}

	String @Nullable [] protocols() {
		return (this.bundle != null) ? this.bundle.getOptions().getEnabledProtocols() : null;
	}

}
