package dev.holdfast.journal.shard;

import dev.holdfast.journal.JournalOptions;

/** Options with which a few records fill a segment. */
final class ShortSegments {

  static final JournalOptions OPTIONS =
      JournalOptions.DEFAULT.withSegmentBytes(16384).withGatherBytesMax(64 << 10);

  private ShortSegments() {}
}
