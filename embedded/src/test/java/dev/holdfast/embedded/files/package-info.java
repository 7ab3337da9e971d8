/** Objects that leave and enter as files. */
@NullMarked
package dev.holdfast.embedded.files;

import org.jspecify.annotations.NullMarked;
