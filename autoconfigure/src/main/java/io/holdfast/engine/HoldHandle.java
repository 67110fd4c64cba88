package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LogText;
import io.holdfast.ReleaseResult;

import org.springframework.util.Assert;

final class HoldHandle extends Entry implements EngineHandle {

	private final Releases releases;

	private final Renewals renewals;

	private final Losses losses;

	private final Listeners listeners;

	HoldHandle(Hold hold, Terms terms, Releases releases, Renewals renewals, Losses losses, Listeners listeners) {
		super(hold, terms);
		this.releases = releases;
		this.renewals = renewals;
		this.losses = losses;
		this.listeners = listeners;
	}

	@Override
	public List<String> keys() {
		return terms().keys();
	}

	@Override
	public LockMode mode() {
		return terms().mode();
	}

	@Override
	public int holdCount() {
		return hold().count(mode());
	}

	@Override
	public long fencingToken(String key) {
		Assert.isTrue(keys().contains(key), () -> "This handle does not hold the key '%s' but '%s'"
			.formatted(LogText.of(key), LogText.of(terms().keysText())));
		return hold().token(key);
	}

	@Override
	public boolean isHeld() {
		return result() == null && hold().isHeld();
	}

	@Override
	public Duration remainingLease() {
		return isHeld() ? hold().lease().remaining() : Duration.ZERO;
	}

	@Override
	public void ensureHeld() {
		if (!isHeld()) {
			LockLostException loss = this.losses.checkLease(hold());
			throw new LockLostException(terms().keysText(), (loss != null) ? "it is not held any more" : null, loss);
		}
	}

	@Override
	public boolean extend(Duration lease) {
		LockRequest.requireValidLease(lease);
		return result() == null && this.renewals.extend(hold(), lease);
	}

	@Override
	public void onLost(Consumer<LockHandle> listener) {
		Assert.notNull(listener, "'listener' must not be null");
		Runnable call = () -> listener.accept(this);
		onLoss(() -> this.listeners.tellAside(call), call);
	}

	// Run an action on the thread that books the loss, or now if it is lost already
	void onLoss(Runnable action) {
		onLoss(action, action);
	}

	private void onLoss(Runnable action, Runnable late) {
		ReleaseResult result = result();
		boolean maybeLost = result == null || result == ReleaseResult.LOST;
		if (maybeLost && !hold().onLoss(this, action)) {
			late.run();
		}
	}

	@Override
	public ReleaseResult release() {
		return this.releases.release(this);
	}

	@Override
	public CompletableFuture<ReleaseResult> releaseAsync() {
		giveUp();
		return async(hold().terms().keys(), this::release);
	}

	<T> CompletableFuture<T> async(List<String> keys, Supplier<T> task) {
		return this.releases.async(keys, task);
	}

	void releaseInBackground() {
		this.releases.releaseInBackground(this);
	}

	@Override
	public String toString() {
		return "LockHandle[keys=%s, mode=%s, owner=%s]".formatted(keys(), mode(), hold().owner().id());
	}

}
