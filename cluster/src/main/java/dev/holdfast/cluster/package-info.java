/**
 * Durable objects on several machines: {@code ClusterHoldfast} opens a node, and objects are called
 * from every node as on one machine.
 */
@NullMarked
package dev.holdfast.cluster;

import org.jspecify.annotations.NullMarked;
