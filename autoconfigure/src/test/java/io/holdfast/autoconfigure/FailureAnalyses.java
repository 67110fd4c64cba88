package io.holdfast.autoconfigure;

import java.util.Objects;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.mock.env.MockEnvironment;

/**
 * What Spring Boot tells of a failed start.
 */
public final class FailureAnalyses {

	private FailureAnalyses() {
	}

	/**
	 * Return what the first analyzer says that can say anything.
	 */
	public static FailureAnalysis of(Throwable failure) {
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, ArgumentResolver.of(Environment.class, new MockEnvironment()),
					(type, name, ex) -> {
					})
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow(() -> new AssertionError("Nobody can say what went wrong", failure));
	}

}
