/**
 * The log of a shard, replicated by Apache Ratis: one Raft group a shard, and one server for all
 * shards of a node. No type of Ratis is visible outside.
 */
@NullMarked
package dev.holdfast.log.ratis;

import org.jspecify.annotations.NullMarked;
