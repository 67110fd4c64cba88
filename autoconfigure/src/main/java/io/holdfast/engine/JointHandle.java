package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LogText;
import io.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Several keys, some of which the owner held before: consists of handles on different
 * holds, and is lost as soon as one of them is.
 */
final class JointHandle implements EngineHandle {

	private final Terms terms;

	private final List<HoldHandle> parts;

	private final AtomicReference<@Nullable HoldHandle> lost = new AtomicReference<>();

	JointHandle(Terms terms, List<HoldHandle> parts) {
		this.terms = terms;
		this.parts = List.copyOf(parts);
		this.parts.forEach((part) -> part.onLoss(() -> lost(part)));
	}

	// In the background: the thread that books a loss must not wait, and listeners may
	// hang
	private void lost(HoldHandle part) {
		if (this.lost.compareAndSet(null, part)) {
			this.parts.stream().filter((other) -> other != part).forEach(HoldHandle::releaseInBackground);
		}
	}

	@Override
	public List<String> keys() {
		return this.terms.keys();
	}

	@Override
	public LockMode mode() {
		return this.terms.mode();
	}

	@Override
	public int holdCount() {
		return this.parts.stream().mapToInt(LockHandle::holdCount).min().orElse(0);
	}

	@Override
	public long fencingToken(String key) {
		Assert.isTrue(keys().contains(key), () -> "This handle does not hold the key '%s' but %s"
			.formatted(LogText.of(key), LogText.of(LogText.keys(keys()))));
		return this.parts.stream()
			.filter((part) -> part.keys().contains(key))
			.findFirst()
			.orElseThrow()
			.fencingToken(key);
	}

	@Override
	public boolean isHeld() {
		return this.parts.stream().allMatch(LockHandle::isHeld);
	}

	@Override
	public Duration remainingLease() {
		return this.parts.stream().map(LockHandle::remainingLease).min(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

	@Override
	public void ensureHeld() {
		if (!isHeld()) {
			Stream.concat(Stream.ofNullable(this.lost.get()), this.parts.stream()).forEach(LockHandle::ensureHeld);
		}
	}

	@Override
	public boolean extend(Duration lease) {
		boolean held = true;
		for (LockHandle part : this.parts) {
			held &= part.extend(lease);
		}
		return held;
	}

	@Override
	public void onLost(Consumer<LockHandle> listener) {
		Assert.notNull(listener, "'listener' must not be null");
		AtomicBoolean told = new AtomicBoolean();
		this.parts.forEach((part) -> part.onLost((lost) -> {
			if (told.compareAndSet(false, true)) {
				listener.accept(this);
			}
		}));
	}

	@Override
	public ReleaseResult release() {
		List<ReleaseResult> results = releaseAll(this.parts);
		for (ReleaseResult worst : List.of(ReleaseResult.LOST, ReleaseResult.PENDING, ReleaseResult.STILL_HELD)) {
			if (results.contains(worst)) {
				return worst;
			}
		}
		return ReleaseResult.RELEASED;
	}

	static List<ReleaseResult> releaseAll(List<HoldHandle> parts) {
		parts.forEach(HoldHandle::giveUp);
		List<ReleaseResult> results = new ArrayList<>(parts.size());
		releaseAll(parts.iterator(), results);
		return results;
	}

	// Also releases those after one whose release throws
	private static void releaseAll(Iterator<HoldHandle> parts, List<ReleaseResult> results) {
		if (parts.hasNext()) {
			try {
				results.add(parts.next().release());
			}
			finally {
				releaseAll(parts, results);
			}
		}
	}

	@Override
	public CompletableFuture<ReleaseResult> releaseAsync() {
		this.parts.forEach(HoldHandle::giveUp);
		return this.parts.get(0).async(keys(), this::release);
	}

	@Override
	public void noteUser() {
		this.parts.forEach(HoldHandle::noteUser);
	}

	@Override
	public void noteTransaction() {
		this.parts.forEach(HoldHandle::noteTransaction);
	}

	@Override
	public void noteUnused() {
		this.parts.forEach(HoldHandle::noteUnused);
	}

	@Override
	public void keepFor(Duration atLeast) {
		this.parts.forEach((part) -> part.keepFor(atLeast));
	}

	@Override
	public String toString() {
		return "LockHandle[keys=%s, mode=%s]".formatted(keys(), mode());
	}

}
