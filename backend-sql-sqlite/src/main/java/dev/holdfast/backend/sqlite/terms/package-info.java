/**
 * Counts the terms that a statement has after SQLite has replaced each column of a view, subquery,
 * common table, window or alias by its expression, before SQLite sees the statement: SQLite copies
 * these expressions while it compiles, and nothing stops it.
 *
 * <p>After it: {@code sql}, which refuses a statement with too many. Not exported.
 */
@NullMarked
package dev.holdfast.backend.sqlite.terms;

import org.jspecify.annotations.NullMarked;
