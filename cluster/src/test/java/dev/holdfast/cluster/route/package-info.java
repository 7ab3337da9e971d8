/** Tests of the package. */
@NullMarked
package dev.holdfast.cluster.route;

import org.jspecify.annotations.NullMarked;
