/** Tests of the verb {@code restore}. */
@NullMarked
package dev.holdfast.operate.restore;

import org.jspecify.annotations.NullMarked;
