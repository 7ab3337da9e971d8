/** Tests of operations for operators, on stopped directories and through the socket. */
@NullMarked
package dev.holdfast.embedded.operator;

import org.jspecify.annotations.NullMarked;
