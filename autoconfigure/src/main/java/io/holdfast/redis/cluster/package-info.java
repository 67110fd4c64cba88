/**
 * The slots of a Cluster: which keys are in one, and how several are asked at once.
 */
@NullMarked
package io.holdfast.redis.cluster;

import org.jspecify.annotations.NullMarked;
