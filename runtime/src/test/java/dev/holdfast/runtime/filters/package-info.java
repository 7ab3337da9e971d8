/** Filters around calls, alarms and deliveries. */
@NullMarked
package dev.holdfast.runtime.filters;

import org.jspecify.annotations.NullMarked;
