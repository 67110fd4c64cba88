package io.holdfast.engine;

import io.holdfast.LockMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What places in queues are called.
 */
class PlaceNameTests {

	@ParameterizedTest
	@ValueSource(strings = { "i:1#7", "i:handle-2#7,shared", "i:1#7,5,shared" })
	void isReadAsItIsWritten(String text) {
		PlaceName name = PlaceName.of(text);
		assertThat(name).hasToString(text);
		assertThat(name.owner()).isEqualTo(text.substring(0, text.indexOf('#')));
		assertThat(name.number()).isEqualTo(7);
		assertThat(name.permits()).isEqualTo(text.contains("5") ? 5 : 0);
		assertThat(name.mode()).isEqualTo(text.endsWith("shared") ? LockMode.SHARED : LockMode.EXCLUSIVE);
	}

	@Test
	void whatIsNoPlaceIsAnOwner() {
		assertThat(PlaceName.of("i:1")).isEqualTo(new PlaceName("i:1", 0, LockMode.EXCLUSIVE, 0));
		assertThat(PlaceName.of("i:1#x").owner()).isEqualTo("i:1#x");
	}

}
