/**
 * Tests of objects without waiting: time that stands still, storage and a journal in memory.
 *
 * <p>To test an object, open a runtime in a temporary directory with a {@link
 * dev.holdfast.testkit.VirtualClock}: an hour passes in no time.
 */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
