/**
 * Judges a SQL text before it runs. {@code TokenGuard} judges the tokens of the text ({@code
 * words}), {@code ProgramGuard} the program that SQLite compiles from it ({@code program}), which
 * also shows what it will cost. {@code StoredDefinitions} judges tables, views and triggers of a
 * file that is imported.
 *
 * <p>Before it: the turn, which runs what passes. Not exported.
 */
@NullMarked
package dev.holdfast.backend.sqlite.sql;

import org.jspecify.annotations.NullMarked;
