/** The check of histories is checked itself. */
@NullMarked
package dev.holdfast.histories;

import org.jspecify.annotations.NullMarked;
