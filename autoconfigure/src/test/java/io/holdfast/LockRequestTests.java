package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockRequestTests {

	private static final LockRequest PLAIN = LockRequest.of("a", "b", "a");

	static Stream<LockRequest> changed() {
		return Stream.of(PLAIN.keys(List.of("c")), PLAIN.name("name"), PLAIN.lease(Duration.ofSeconds(1)),
				PLAIN.waitFor(Duration.ofSeconds(2)), PLAIN.autoRenew(false), PLAIN.minHold(Duration.ofSeconds(3)),
				PLAIN.maxHold(Duration.ofSeconds(4)), PLAIN.shared(), PLAIN.permits(3), PLAIN.fair(false),
				PLAIN.keys(List.of("c")).fair(), PLAIN.ownedByHandle());
	}

	@ParameterizedTest
	@MethodSource("changed")
	void differsFromTheOneItWasMadeOf(LockRequest changed) {
		assertThat(changed).isNotEqualTo(PLAIN).doesNotHaveToString(PLAIN.toString());
		assertThat(PLAIN).isEqualTo(LockRequest.of("a", "b"));
	}

	@ParameterizedTest
	@MethodSource("changed")
	void keepsAllElse(LockRequest changed) {
		LockRequest fresh = LockRequest.of("x").keys(changed.keys());
		fresh = (changed.name() != null) ? fresh.name(changed.name()) : fresh;
		fresh = (changed.lease() != null) ? fresh.lease(changed.lease()) : fresh;
		fresh = (changed.waitFor() != null) ? fresh.waitFor(changed.waitFor()) : fresh;
		fresh = (changed.autoRenew() != null) ? fresh.autoRenew(changed.autoRenew()) : fresh;
		fresh = (changed.minHold() != null) ? fresh.minHold(changed.minHold()) : fresh;
		fresh = (changed.maxHold() != null) ? fresh.maxHold(changed.maxHold()) : fresh;
		fresh = (changed.permits() > 0) ? fresh.permits(changed.permits()) : fresh;
		fresh = (changed.ordered() != null) ? fresh.fair(changed.ordered()) : fresh;
		fresh = changed.handleBound() ? fresh.ownedByHandle() : fresh;
		assertThat(fresh.mode(changed.mode())).isEqualTo(changed)
			.hasSameHashCodeAs(changed)
			.hasToString(changed.toString());
	}

	@Test
	void permitsAreShared() {
		assertThat(PLAIN.permits()).isZero();
		assertThat(PLAIN.permits(2).mode()).isEqualTo(LockMode.SHARED);
		assertThatIllegalArgumentException().isThrownBy(() -> PLAIN.permits(0)).withMessageContaining("at least 1");
		assertThatIllegalArgumentException().isThrownBy(() -> PLAIN.permits(2).mode(LockMode.EXCLUSIVE))
			.withMessageContaining("without 'permits'");
		LockRequest exclusive = PLAIN.shared().mode(LockMode.EXCLUSIVE).keys(List.of("c"));
		assertThatIllegalArgumentException().isThrownBy(() -> exclusive.permits(2))
			.withMessageContaining("without the exclusive 'mode'");
		assertThat(exclusive.shared().permits(2)).isEqualTo(PLAIN.keys(List.of("c")).permits(2));
	}

	@Test
	void fairRequestHasOneKey() {
		LockRequest fair = LockRequest.of("a", "a").fair();
		assertThatIllegalArgumentException().isThrownBy(PLAIN::fair).withMessageContaining("one key, not 2");
		assertThatIllegalArgumentException().isThrownBy(() -> fair.keys(PLAIN.keys())).withMessageContaining("one key");
		assertThat(fair.fair(false).keys(PLAIN.keys())).isEqualTo(PLAIN.fair(false));
	}

	@Test
	void hasEachKeyOnceWithTheNameInFront() {
		assertThat(PLAIN.keys()).containsExactly("a", "b");
		assertThat(PLAIN.name("order").lockKeys()).containsExactly("order:a", "order:b");
		assertThat(PLAIN.name("order").keys()).containsExactly("a", "b");
	}

}
