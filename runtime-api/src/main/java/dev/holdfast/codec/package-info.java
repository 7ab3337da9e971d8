/** How values of the application become stored values: types with arguments. */
@NullMarked
package dev.holdfast.codec;

import org.jspecify.annotations.NullMarked;
