/** The whole runtime on a disk that loses power. */
@NullMarked
package dev.holdfast.system.power;

import org.jspecify.annotations.NullMarked;
