package io.holdfast.autoconfigure;

import io.holdfast.autoconfigure.HoldfastProperties.Aspect.Mode;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Chooses between proxies and AspectJ: there must be one of them, and not both, however
 * the property is spelled.
 */
class InterceptionSelector implements ImportSelector {

	private final Environment environment;

	InterceptionSelector(Environment environment) {
		this.environment = environment;
	}

	@Override
	public String[] selectImports(AnnotationMetadata metadata) {
		Mode mode = Binder.get(this.environment).bind("holdfast.aspect.mode", Mode.class).orElse(Mode.PROXY);
		return new String[] {
				((mode == Mode.ASPECTJ) ? WeavingConfiguration.class : ProxyConfiguration.class).getName() };
	}

}
