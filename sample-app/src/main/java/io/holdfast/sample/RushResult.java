package io.holdfast.sample;

import java.time.Instant;

/**
 * What came of a rush; also an application event that tells of it.
 *
 * @param buyers how many buyers came
 * @param locked whether they bought under the lock
 * @param stock how many pieces the sale had to offer
 * @param bought how many pieces these buyers got
 * @param sold how many pieces were sold in this sale until the rush was over, to these
 * buyers and to those of other rushes that took part in it
 * @param oversold how many of those there never were
 * @param failed how many buyers could not finish, for another reason than a sold-out
 * product
 * @param waitedMs how long the buyers waited for the lock, in milliseconds, without those
 * who never got it
 * @param waits how many of them waited how long
 * @param tookMs how long the rush took, in milliseconds
 * @param finished when it was over
 */
public record RushResult(int buyers, boolean locked, int stock, int bought, int sold, int oversold, int failed,
		Percentiles waitedMs, Histogram waits, long tookMs, Instant finished) {
}
