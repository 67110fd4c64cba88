package io.holdfast.aop;

import java.util.function.Supplier;

import io.holdfast.LockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

final class LazyLockTemplate implements Supplier<LockTemplate> {

	private final Supplier<LockTemplate> templates;

	private volatile @Nullable LockTemplate template;

	LazyLockTemplate(Supplier<LockTemplate> templates) {
		this.templates = templates;
	}

	// The template is created after the advisor, so the first call looks it up. No lock
	// is taken for that: the thread that creates the template could wait for it
	@Override
	public LockTemplate get() {
		LockTemplate known = this.template;
		if (known == null) {
			known = find();
			this.template = known;
		}
		return known;
	}

	private LockTemplate find() {
		try {
			return this.templates.get();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new InvalidDistributedLockException(
					"@DistributedLock needs one LockTemplate, and there are several beans: " + ex.getBeanNamesFound(),
					"Annotate the one that annotated methods are to use with @Primary.", ex);
		}
	}

}
