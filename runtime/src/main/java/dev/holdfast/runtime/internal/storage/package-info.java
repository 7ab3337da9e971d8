/**
 * Step 6 of a call: the storage API of an object. Checks limits, encodes values, converts keys to
 * ranges, and passes reads and writes to the store turn. Before it: object code. After it: the
 * storage backend, through the SPI.
 */
@NullMarked
package dev.holdfast.runtime.internal.storage;

import org.jspecify.annotations.NullMarked;
