/**
 * SQLite storage backend: one database file per object, a view of the journal.
 *
 * <p>The path of a write: {@link dev.holdfast.backend.sqlite.SqliteBackend} gives the object's
 * store, whose turn claims an open database from the cache, runs statements in a transaction of
 * SQLite and commits it without a sync. The pages it wrote are then read from the {@code -wal}
 * file, turned into a batch with redo and undo ({@code docs/formats/sqlite-batch.md}) and appended
 * to the journal, which alone makes them durable. Checkpoints and recovery bring the database files
 * back in step with the journal.
 */
@NullMarked
package dev.holdfast.backend.sqlite;

import org.jspecify.annotations.NullMarked;
