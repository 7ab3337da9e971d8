/**
 * The journal of a shard: its groups are entries of a replicated log, and every node of the shard
 * applies them to its own segments. {@code ShardReplica} is a node's copy, as long as it has one;
 * {@code ShardJournal} is one ownership of the shard, and is to the engine what {@code FileJournal}
 * is on one machine.
 *
 * <p>{@code docs/formats/log-entry.md} has the bytes, ADR 42 the decisions.
 */
@NullMarked
package dev.holdfast.journal.shard;

import org.jspecify.annotations.NullMarked;
