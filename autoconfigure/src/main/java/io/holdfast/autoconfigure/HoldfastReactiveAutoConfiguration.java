package io.holdfast.autoconfigure;

import io.holdfast.LockTemplate;
import io.holdfast.ReactiveLockTemplate;
import reactor.core.publisher.Flux;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Auto-configuration for locks in reactive code.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass(Flux.class)
@Conditional(HoldfastAutoConfiguration.OnEnabledCondition.class)
@ConditionalOnSingleCandidate(LockTemplate.class)
public final class HoldfastReactiveAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	ReactiveLockTemplate holdfastReactiveLockTemplate(ObjectProvider<AnnotationTemplate> template,
			ObjectProvider<LockTemplate> templatesOfUser) {
		return new ReactiveLockTemplate(AnnotationTemplate.choose(template, templatesOfUser).get());
	}

}
