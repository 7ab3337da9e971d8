/**
 * The program that SQLite compiles from a statement: what it touches and what it may cost. Read by
 * the guard ({@code sql}) and by the row counter ({@code meter}).
 */
@NullMarked
package dev.holdfast.backend.sqlite.program;

import org.jspecify.annotations.NullMarked;
