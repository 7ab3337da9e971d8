package dev.holdfast.runtime;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.log.NodeId;

/**
 * An execution that waits for a call of another process.
 *
 * @param node where it runs
 * @param execution its number on that node
 * @param namespace the namespace of its object
 * @param id its object
 * @param inSection whether it has a critical section open
 */
public record RemoteCaller(
    NodeId node, long execution, String namespace, ObjectId id, boolean inSection) {}
