/** What operators see: statistics, states and flight recorder events. */
@NullMarked
package dev.holdfast.runtime.observed;

import org.jspecify.annotations.NullMarked;
