package dev.holdfast.http.internal.store;

import dev.holdfast.http.object.ZoneChanges;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is read from zones, kept until they change: a call that finds it calls no object. A change
 * takes effect before the answer to the write leaves. Thread-safe.
 *
 * @param <T> what is kept; immutable
 */
public final class ZoneCache<T> {

  /** Zones that are kept; each may have a thousand rules. */
  private static final int ZONES_MAX = 10_000;

  private final ZoneChanges changes;
  private final Function<String, T> reader;
  private final Map<String, Kept<T>> kept = new ConcurrentHashMap<>();

  /** What is read, and the count of changes before that. */
  private record Kept<T>(long count, CompletableFuture<T> value) {}

  /**
   * Creates an empty cache.
   *
   * @param changes counts the changes of zones
   * @param reader reads the zone with an id
   */
  public ZoneCache(ZoneChanges changes, Function<String, T> reader) {
    this.changes = changes;
    this.reader = reader;
  }

  /**
   * {@return what the reader returns for a zone, or has returned since its last change}
   *
   * @param zoneId the zone
   */
  public T get(String zoneId) {
    // Counted before the zone is read: a change in between makes the result old, not lost.
    long count = changes.count(zoneId);
    @Nullable Kept<T> known = kept.get(zoneId);
    if (known == null || known.count() != count) {
      Kept<T> mine = new Kept<>(count, new CompletableFuture<>());
      known = kept.merge(zoneId, mine, (old, later) -> old.count() >= later.count() ? old : later);
      if (known.equals(mine)) {
        read(zoneId, mine);
      }
    }
    try {
      return known.value().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failed ? failed : e;
    }
  }

  /**
   * One thread reads; the others of the zone wait for its result. Not in a function of the map: a
   * zone that does not answer would hold up others with it.
   */
  private void read(String zoneId, Kept<T> mine) {
    try {
      mine.value().complete(reader.apply(zoneId));
    } catch (RuntimeException | Error e) {
      kept.remove(zoneId, mine);
      mine.value().completeExceptionally(e);
    }
    if (kept.size() > ZONES_MAX) {
      kept.keySet().stream().filter(each -> !each.equals(zoneId)).findAny().ifPresent(kept::remove);
    }
  }
}
