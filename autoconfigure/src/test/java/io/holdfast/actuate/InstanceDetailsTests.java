package io.holdfast.actuate;

import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the names of locks that an instance has told say of a key.
 */
@Tag("any-jdk")
class InstanceDetailsTests {

	private final Map<String, String> details = Map.of("application", "shop", InstanceDetails.lockName("order"), "",
			InstanceDetails.lockName("order:item"), "");

	@Test
	void keyBeginsWithTheNameOfItsLock() {
		assertThat(InstanceDetails.nameOf("order:42", this.details)).contains("order");
	}

	@Test
	void longestNameCounts() {
		assertThat(InstanceDetails.nameOf("order:item:42", this.details)).contains("order:item");
	}

	@Test
	void otherKeysHaveNoName() {
		assertThat(InstanceDetails.nameOf("orders:42", this.details)).isEmpty();
		assertThat(InstanceDetails.nameOf("order", this.details)).isEmpty();
		assertThat(InstanceDetails.nameOf("application:42", this.details)).isEmpty();
	}

}
