/**
 * Histories of calls that run at the same time, and a check whether an object that runs one call
 * after the other could have given these answers. For tests and for the crash test.
 */
@NullMarked
package dev.holdfast.histories;

import org.jspecify.annotations.NullMarked;
