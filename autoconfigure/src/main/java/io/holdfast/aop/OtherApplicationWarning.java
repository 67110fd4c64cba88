package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.holdfast.LockException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LogText;
import io.holdfast.engine.OwnerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class OtherApplicationWarning {

	private static final Logger logger = LoggerFactory.getLogger(OtherApplicationWarning.class);

	private final Set<Method> warned = ConcurrentHashMap.newKeySet();

	private final Supplier<LockDefaults> defaults;

	OtherApplicationWarning(Supplier<LockDefaults> defaults) {
		this.defaults = defaults;
	}

	void warnOfHolder(Method method, LockException failure) {
		String holder = (failure instanceof LockNotAcquiredException refused) ? refused.getHolder() : null;
		String application = (holder != null) ? OwnerId.of(holder).application() : null;
		if (application != null && !application.equals(this.defaults.get().application()) && this.warned.add(method)) {
			logger.warn(
					"{} was skipped, because another application, '{}', has its lock. If they are not meant to share "
							+ "locks, set 'holdfast.key-prefix' to another value in one of them",
					method, LogText.of(application));
		}
	}

}
