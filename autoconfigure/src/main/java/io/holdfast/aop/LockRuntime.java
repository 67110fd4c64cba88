package io.holdfast.aop;

import java.util.function.Supplier;

import io.holdfast.LockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.util.Assert;

final class LockRuntime {

	private final Supplier<LockTemplate> templates;

	private volatile @Nullable LockTemplate template;

	LockRuntime(Supplier<LockTemplate> templates) {
		this.templates = templates;
	}

	// The template is created after the advisor, so the first call looks it up. No lock
	// is taken for that: the thread that creates the template could wait for it
	LockTemplate template() {
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

	// A template of the user's own may be a mock, which does nothing
	void requireInside(CallState state) {
		Assert.state(state.isInside(),
				() -> ("The LockTemplate bean has not run the method, and has not refused to: %s. "
						+ "If it is a mock, use a spy "
						+ "(@MockitoSpyBean), or mock Holdfast's own template, which annotated methods do without.")
					.formatted(template().getClass().getName()));
	}

}
