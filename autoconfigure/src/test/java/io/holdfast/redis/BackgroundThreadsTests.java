package io.holdfast.redis;

import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.test.Inherited;
import io.holdfast.test.RecordingWakeUps;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Threads of a store: what they know of those who start them, and what becomes of them
 * when something goes wrong that never should.
 */
class BackgroundThreadsTests extends AbstractThreadsTests {

	@Test
	void inheritNothingOfWhoStartsThem() {
		WakeUpChannel channel = new WakeUpChannel(this.disturbed, new LockKeys("holdfast"));
		Inherited.give(() -> {
			channel.open("me", new RecordingWakeUps());
			await().until(() -> !this.known.isEmpty());
		});
		assertThat(this.known).extracting(Inherited::user).containsOnlyNulls();
		assertThat(this.known).extracting(Inherited::classLoader)
			.containsOnly(Thread.currentThread().getContextClassLoader());
		channel.close();
	}

	@Test
	void subscriptionIsKeptWhateverIsThrown() {
		WakeUpChannel channel = new WakeUpChannel(this.disturbed, new LockKeys("holdfast"));
		this.errors.set(3);
		channel.open("me", new RecordingWakeUps());
		await().until(() -> channel.state() == Subscription.ACTIVE);
		channel.close();
	}

}
