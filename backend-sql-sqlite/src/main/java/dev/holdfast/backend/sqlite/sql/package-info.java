/**
 * What is known of a SQL text before it runs: its statements, whether they may be run at all, and
 * what they will cost. This is decided first by the tokens of the text, then by the program that
 * SQLite compiles from it.
 *
 * <p>Not exported.
 */
@NullMarked
package dev.holdfast.backend.sqlite.sql;

import org.jspecify.annotations.NullMarked;
