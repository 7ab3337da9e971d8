/**
 * Support for fast tests of objects: a clock that the test controls, and storage and a journal in
 * memory.
 *
 * <p>To test an object, open a runtime in a temporary directory with a {@link
 * dev.holdfast.testkit.VirtualClock}: an hour takes no real time.
 */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
