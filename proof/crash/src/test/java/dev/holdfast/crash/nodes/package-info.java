/** The checks of the crash test of a cluster find what is broken. */
@NullMarked
package dev.holdfast.crash.nodes;

import org.jspecify.annotations.NullMarked;
