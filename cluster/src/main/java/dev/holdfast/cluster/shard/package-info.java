/** The objects of a shard, while this node owns it, and of one whose node does not run. */
@NullMarked
package dev.holdfast.cluster.shard;

import org.jspecify.annotations.NullMarked;
