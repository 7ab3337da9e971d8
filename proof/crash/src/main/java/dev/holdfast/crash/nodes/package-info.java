/**
 * The crash test of a cluster: nodes as processes of this machine, which are killed, paused and cut
 * off from each other while callers call, and the checks of what callers were answered.
 */
@NullMarked
package dev.holdfast.crash.nodes;

import org.jspecify.annotations.NullMarked;
