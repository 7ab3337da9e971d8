/** The words of a SQL text, cut apart as SQLite does it. */
@NullMarked
package dev.holdfast.backend.sqlite.sql.words;

import org.jspecify.annotations.NullMarked;
