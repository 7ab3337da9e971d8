/**
 * Disks for tests of durability: one with injected faults, one that loses power between any two
 * steps, and wrappers of a disk or journal that change single calls. Also a network that is cut,
 * and a launcher for tests that need a separate process.
 */
@NullMarked
package dev.holdfast.faults;

import org.jspecify.annotations.NullMarked;
