/** Three nodes in one process, called as applications do. */
@NullMarked
package dev.holdfast.cluster;

import org.jspecify.annotations.NullMarked;
