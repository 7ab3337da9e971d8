/** What the copies of a shard take from each other when their log is too short for them. */
@NullMarked
package dev.holdfast.cluster.catchup;

import org.jspecify.annotations.NullMarked;
