package dev.holdfast.archiver;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a node is adding to the archives of shards, by ownership. A node that was deposed may not
 * know it, and one call of the store may take for ever: the next owner asks whether that is over.
 * Thread-safe.
 */
final class ArchiveAdditions {

  /** Of one shard. */
  private static final class OfShard {
    /** Ownerships with an earlier epoch add nothing more. */
    long oldest;

    /** The last ownership whose objects were closed, by epoch. */
    long closed;

    /** How many calls add something, by epoch. */
    final NavigableMap<Long, Integer> underWay = new TreeMap<>();
  }

  private final Map<Integer, OfShard> shards = new HashMap<>(); // guarded by this

  private OfShard of(int shard) {
    return shards.computeIfAbsent(shard, _ -> new OfShard());
  }

  /**
   * Ends the additions of the earlier ownerships of a shard, in this process: they begin none any
   * more.
   *
   * @param shard its number
   * @param epoch the epoch of the ownership that asks
   * @return whether none is under way
   */
  synchronized boolean endBefore(int shard, long epoch) {
    OfShard of = of(shard);
    of.oldest = Math.max(of.oldest, epoch);
    return of.underWay.headMap(epoch, /* inclusive= */ false).isEmpty();
  }

  /** {@return whether an ownership archives nothing more, because its objects were closed} */
  synchronized boolean isClosed(int shard, long epoch) {
    return epoch <= of(shard).closed;
  }

  synchronized void close(int shard, long epoch) {
    of(shard).closed = Math.max(of(shard).closed, epoch);
  }

  synchronized void begin(int shard, long epoch) throws IOException {
    OfShard of = of(shard);
    if (epoch < of.oldest) {
      throw new IOException("Another ownership of the shard has begun, and archives it");
    }
    of.underWay.merge(epoch, 1, Integer::sum);
  }

  synchronized void end(int shard, long epoch) {
    of(shard).underWay.computeIfPresent(epoch, (_, calls) -> calls == 1 ? null : calls - 1);
  }
}
