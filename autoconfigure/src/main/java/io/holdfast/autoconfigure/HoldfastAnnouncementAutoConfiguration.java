package io.holdfast.autoconfigure;

import io.holdfast.actuate.InstanceAnnouncer;
import io.holdfast.actuate.InstanceDetails;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the announcement of an instance without an endpoint of its own:
 * endpoints of other instances can then describe it, and notify it of a release by force.
 * Not for a registry of the user's own.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { HoldfastAutoConfiguration.class, HoldfastEndpointAutoConfiguration.class })
@ConditionalOnBean(LockLifecycle.class)
@PropertyChecks.ConditionalOnSwitch("holdfast.announce")
public final class HoldfastAnnouncementAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	InstanceAnnouncer holdfastInstanceAnnouncer(InstanceDetails details) {
		return new InstanceAnnouncer(details, false);
	}

}
