/** A codec for classes that Jackson 3 reads and writes. */
@NullMarked
package dev.holdfast.jackson;

import org.jspecify.annotations.NullMarked;
