/** The storage of an object, on a backend in memory. */
@NullMarked
package dev.holdfast.runtime.storage;

import org.jspecify.annotations.NullMarked;
