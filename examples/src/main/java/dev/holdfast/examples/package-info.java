/** Small host applications behind the launcher. */
@NullMarked
package dev.holdfast.examples;

import org.jspecify.annotations.NullMarked;
