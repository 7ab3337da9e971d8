/** Faults that are planted in copies of sources, and the run that shows which test finds them. */
@NullMarked
package dev.holdfast.faults.planted;

import org.jspecify.annotations.NullMarked;
