/**
 * What the sample's page shows while it is looked at, and does on a click: the locks of
 * all instances, a rush under way, a lock that can be taken away.
 */
@NullMarked
package io.holdfast.sample.live;

import org.jspecify.annotations.NullMarked;
