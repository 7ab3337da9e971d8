/** Which nodes are members of the cluster, what this one knows of them, and how that changes. */
@NullMarked
package dev.holdfast.cluster.member;

import org.jspecify.annotations.NullMarked;
