@NullMarked
package dev.holdfast.embedded.parts;

import org.jspecify.annotations.NullMarked;
