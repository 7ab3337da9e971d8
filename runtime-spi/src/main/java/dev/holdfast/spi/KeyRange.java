package dev.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * Which keys a scan returns. Keys compare as unsigned bytes.
 *
 * @param startInclusive smallest key; null for no bound
 * @param endExclusive first key after the range; null for no bound
 * @param reverse largest key first
 * @param limit maximum number of pairs, at least 1
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; made for one scan
public record KeyRange(
    byte @Nullable [] startInclusive, byte @Nullable [] endExclusive, boolean reverse, int limit) {}
