/**
 * Disks for tests of what is durable: one that fails on order, one that loses power between any two
 * steps, and what stands before a real disk or journal to change single calls.
 */
@NullMarked
package dev.holdfast.faults;

import org.jspecify.annotations.NullMarked;
