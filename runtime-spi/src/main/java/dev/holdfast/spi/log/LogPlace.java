package dev.holdfast.spi.log;

/**
 * An entry of a log, as the log of another node has to know it to go on after it.
 *
 * @param index its place
 * @param term what the log says of the entry beside its index: the leadership in which it was
 *     taken; 0 if the log has nothing to say
 */
public record LogPlace(long index, long term) {}
