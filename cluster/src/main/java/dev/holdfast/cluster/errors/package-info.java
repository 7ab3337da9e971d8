/** Errors of a cluster: of calls to other nodes, and of what is configured. */
@NullMarked
package dev.holdfast.cluster.errors;

import org.jspecify.annotations.NullMarked;
