/**
 * Disks for tests of what is durable: one that fails on order, one that loses power between any two
 * steps, and what stands before a real disk or journal to change single calls. And the launcher of
 * tests that need a process of their own.
 */
@NullMarked
package dev.holdfast.faults;

import org.jspecify.annotations.NullMarked;
