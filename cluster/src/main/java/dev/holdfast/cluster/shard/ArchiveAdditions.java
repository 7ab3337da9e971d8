package dev.holdfast.cluster.shard;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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

  private synchronized void close(int shard, long epoch) {
    of(shard).closed = Math.max(of(shard).closed, epoch);
  }

  private synchronized void begin(int shard, long epoch) throws IOException {
    OfShard of = of(shard);
    if (epoch < of.oldest) {
      throw new IOException("Another ownership of the shard has begun, and archives it");
    }
    of.underWay.merge(epoch, 1, Integer::sum);
  }

  private synchronized void end(int shard, long epoch) {
    of(shard).underWay.computeIfPresent(epoch, (_, calls) -> calls == 1 ? null : calls - 1);
  }

  /**
   * {@return the archive of a shard, as one ownership uses it}
   *
   * @param shard its number
   * @param epoch the epoch of the ownership
   * @param store the archive
   */
  ArchiveStore store(int shard, long epoch, ArchiveStore store) {
    return new OfOwnership(shard, epoch, store);
  }

  private final class OfOwnership implements ArchiveStore {

    private final int shard;
    private final long epoch;
    private final ArchiveStore store;

    OfOwnership(int shard, long epoch, ArchiveStore store) {
      this.shard = shard;
      this.epoch = epoch;
      this.store = store;
    }

    @Override
    public boolean putIfAbsent(String name, ArchiveContent content) throws IOException {
      begin(shard, epoch);
      try {
        return store.putIfAbsent(name, content);
      } finally {
        end(shard, epoch);
      }
    }

    @Override
    public @Nullable InputStream open(String name) throws IOException {
      return store.open(name);
    }

    @Override
    public List<ArchiveEntry> list(String prefix, String after, int limit) throws IOException {
      return store.list(prefix, after, limit);
    }

    @Override
    public void delete(String name) throws IOException {
      store.delete(name);
    }

    @Override
    public void deleteUnfinished(String prefix) throws IOException {
      store.deleteUnfinished(prefix);
    }

    @Override
    public void close() {
      ArchiveAdditions.this.close(shard, epoch);
      store.close();
    }

    @Override
    public String toString() {
      return store.toString();
    }
  }
}
