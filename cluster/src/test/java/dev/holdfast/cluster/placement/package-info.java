/** Tests of where shards are placed. */
@NullMarked
package dev.holdfast.cluster.placement;

import org.jspecify.annotations.NullMarked;
