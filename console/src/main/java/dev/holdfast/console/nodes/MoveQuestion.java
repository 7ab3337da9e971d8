package dev.holdfast.console.nodes;

import dev.holdfast.console.page.PageFrame;

/**
 * Asks whether a shard is to be moved. Immutable.
 *
 * @param frame what surrounds it
 * @param shard the number of the shard
 * @param node the node that is to own it
 */
public record MoveQuestion(PageFrame frame, long shard, String node) {}
