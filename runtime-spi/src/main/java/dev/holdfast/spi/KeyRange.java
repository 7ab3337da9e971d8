package dev.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * Which keys a scan returns. Keys compare as unsigned bytes.
 *
 * @param startInclusive smallest key; null for none
 * @param endExclusive first key that is too large; null for none
 * @param reverse largest key first
 * @param limit most pairs, at least 1
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; made for one scan
public record KeyRange(
    byte @Nullable [] startInclusive, byte @Nullable [] endExclusive, boolean reverse, int limit) {}
