/** Where objects are: slots, shards, and which node owns a shard as far as is known. */
@NullMarked
package dev.holdfast.cluster.route;

import org.jspecify.annotations.NullMarked;
