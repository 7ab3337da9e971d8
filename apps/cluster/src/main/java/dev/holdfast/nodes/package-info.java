/** The verb {@code cluster}, and the nodes of a cluster as processes of one machine. */
@NullMarked
package dev.holdfast.nodes;

import org.jspecify.annotations.NullMarked;
