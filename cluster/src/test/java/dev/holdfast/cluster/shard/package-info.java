/** The objects of a shard on several nodes in one process. */
@NullMarked
package dev.holdfast.cluster.shard;

import org.jspecify.annotations.NullMarked;
