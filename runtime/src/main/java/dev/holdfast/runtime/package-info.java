/** The engine, opened with a journal and a backend. Internal packages follow the way of a call. */
@NullMarked
package dev.holdfast.runtime;

import org.jspecify.annotations.NullMarked;
