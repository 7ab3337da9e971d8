/** Tests of the package. */
@NullMarked
package dev.holdfast.cluster.call;

import org.jspecify.annotations.NullMarked;
