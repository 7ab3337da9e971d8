/** SQLite storage backend: one database file per object, a view of the journal. */
@NullMarked
package dev.holdfast.backend.sqlite;

import org.jspecify.annotations.NullMarked;
