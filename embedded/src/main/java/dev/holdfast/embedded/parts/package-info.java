/**
 * What a runtime is made of beside its engine, whatever its journal is: the storage of the objects.
 * {@code ShardRuntime} opens the objects of a shard.
 */
@NullMarked
package dev.holdfast.embedded.parts;

import org.jspecify.annotations.NullMarked;
