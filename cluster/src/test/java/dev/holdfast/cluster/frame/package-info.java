/** Tests of the package. */
@NullMarked
package dev.holdfast.cluster.frame;

import org.jspecify.annotations.NullMarked;
