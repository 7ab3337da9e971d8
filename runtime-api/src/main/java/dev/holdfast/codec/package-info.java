/** How values of the application become stored values: types with arguments, and codecs. */
@NullMarked
package dev.holdfast.codec;

import org.jspecify.annotations.NullMarked;
