/** Reading and writing values in the V8 structured clone format. */
@NullMarked
package dev.holdfast.clone;

import org.jspecify.annotations.NullMarked;
