/** Tests of the package. */
@NullMarked
package dev.holdfast.cluster.tls;

import org.jspecify.annotations.NullMarked;
