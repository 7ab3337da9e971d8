/**
 * Step 8 of a call, and the only place where data becomes durable: the write-ahead journal of a
 * runtime. {@code GroupCommit} appends the batches of all objects and syncs many at once; {@code
 * FileJournal} is the journal that the engine and the backends see. Before it: a store turn that is
 * sealed. After it: the output gate, which waits for a position.
 *
 * <p>{@code SegmentWriter.write} is the sync; the leader of a group calls it from {@code
 * GroupCommit.lead}, on a waiting caller's thread or on that of the {@code Flusher}. {@code
 * CommitStatistics} measures, and {@code FileJournal.statistics} shows the numbers.
 *
 * <p>The files and the recovery scan are in {@code dev.holdfast.journal.file}.
 */
@NullMarked
package dev.holdfast.journal;

import org.jspecify.annotations.NullMarked;
