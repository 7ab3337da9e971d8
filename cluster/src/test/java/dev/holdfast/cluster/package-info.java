/** A node that is refused, and the nodes of the suites of {@code embedded}. */
@NullMarked
package dev.holdfast.cluster;

import org.jspecify.annotations.NullMarked;
