/**
 * Step 7 of a call for SQL: a turn of one object. Runs its statements and cursors, its keys and
 * alarms, and its migrations in a transaction of SQLite. At its end it is sealed into one batch,
 * which goes to the journal. Before it: the storage API of the engine. After it: {@code wal}, which
 * makes the batch, and the journal, which makes it durable.
 */
@NullMarked
package dev.holdfast.backend.sqlite.turn;

import org.jspecify.annotations.NullMarked;
