/** The objects of a shard on several nodes in one process. */
@NullMarked
package dev.holdfast.embedded.shard;

import org.jspecify.annotations.NullMarked;
