/**
 * Which copy or owner of a shard moves next, so that copies and owners are even. Pure: no input or
 * output, no clock, no randomness. The same view gives the same step on every node.
 */
@NullMarked
package dev.holdfast.cluster.placement;

import org.jspecify.annotations.NullMarked;
