/**
 * The rows that a statement reads and writes, computed from its compiled program, and the bytes
 * that a thread writes.
 */
@NullMarked
package dev.holdfast.backend.sqlite.meter;

import org.jspecify.annotations.NullMarked;
