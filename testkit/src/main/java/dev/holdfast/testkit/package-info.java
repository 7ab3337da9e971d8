/**
 * Tests of objects, of storage backends and of Holdfast itself: time that stands still, storage in
 * memory, and faults on order.
 *
 * <p>To test an object, open a runtime on {@link dev.holdfast.testkit.InMemoryBackend} and {@link
 * dev.holdfast.testkit.VirtualClock}: no file is touched, and an hour passes in no time. To test a
 * backend, extend the suites of {@code dev.holdfast.testkit.contract}.
 */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
