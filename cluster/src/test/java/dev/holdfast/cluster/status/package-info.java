/** Tests of the package. */
@NullMarked
package dev.holdfast.cluster.status;

import org.jspecify.annotations.NullMarked;
