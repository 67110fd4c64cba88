package io.holdfast.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the sample.
 *
 * @param redisPort port of the Redis that the instances share, unless they are told of
 * another Redis
 * @param stock how many pieces a sale has to offer
 * @param thinkTime how long a buyer thinks between reading the stock and writing it back
 * @param buyerThreads how many buyers of a rush are at it at the same time
 */
@ConfigurationProperties("sample")
record SampleProperties(@DefaultValue("16379") int redisPort, @DefaultValue("50") int stock,
		@DefaultValue("5ms") Duration thinkTime, @DefaultValue("32") int buyerThreads) {
}
