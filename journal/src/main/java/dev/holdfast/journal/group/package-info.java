/**
 * Records on their way into a journal: they gather in memory as groups, and a group has the bytes
 * that it has in a segment. Shared by the journal of one machine, which writes groups to its disk,
 * and by that of a shard, which proposes them to a replicated log.
 */
@NullMarked
package dev.holdfast.journal.group;

import org.jspecify.annotations.NullMarked;
