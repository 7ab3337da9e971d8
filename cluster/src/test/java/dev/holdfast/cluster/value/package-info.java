/** Tests of the package. */
@NullMarked
package dev.holdfast.cluster.value;

import org.jspecify.annotations.NullMarked;
