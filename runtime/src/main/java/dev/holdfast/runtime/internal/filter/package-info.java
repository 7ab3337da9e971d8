/**
 * Filters of the application around calls and alarms, on the caller's side and in the object's
 * turn. Does nothing in a runtime without filters.
 */
@NullMarked
package dev.holdfast.runtime.internal.filter;

import org.jspecify.annotations.NullMarked;
