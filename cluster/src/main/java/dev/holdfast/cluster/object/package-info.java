/** The objects of a cluster as callers of every node see them, and their calls. */
@NullMarked
package dev.holdfast.cluster.object;

import org.jspecify.annotations.NullMarked;
