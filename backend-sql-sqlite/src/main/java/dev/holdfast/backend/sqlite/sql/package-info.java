/**
 * Judges a SQL text before it runs: {@code SqlGuard} decides whether its statements may run at all,
 * first by the tokens of the text ({@code words}), then by the program that SQLite compiles from it
 * ({@code program}), which also shows what it will cost.
 *
 * <p>Before it: the turn, which runs what passes. Not exported.
 */
@NullMarked
package dev.holdfast.backend.sqlite.sql;

import org.jspecify.annotations.NullMarked;
