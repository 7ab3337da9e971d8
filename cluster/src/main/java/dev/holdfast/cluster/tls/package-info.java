/** The files with which the nodes of a cluster prove to each other that they are members. */
@NullMarked
package dev.holdfast.cluster.tls;

import org.jspecify.annotations.NullMarked;
