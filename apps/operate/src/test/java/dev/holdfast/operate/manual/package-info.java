/** Tests of the man pages and of the completion. */
@NullMarked
package dev.holdfast.operate.manual;

import org.jspecify.annotations.NullMarked;
