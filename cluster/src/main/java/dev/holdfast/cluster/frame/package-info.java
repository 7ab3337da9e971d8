/** The frames of the call protocol, their bytes and their bounds. Knows no socket. */
@NullMarked
package dev.holdfast.cluster.frame;

import org.jspecify.annotations.NullMarked;
