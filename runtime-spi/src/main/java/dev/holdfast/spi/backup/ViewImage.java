package dev.holdfast.spi.backup;

/**
 * What copies of the files of all views are. With them the journal brings the views to any position
 * from the one of the image on. Immutable.
 *
 * @param lowWaterMark the first position whose record the copies need
 * @param position the last position whose record a copy may have
 * @param wallMillis when the position was determined, milliseconds since 1970
 */
public record ViewImage(long lowWaterMark, long position, long wallMillis) {}
