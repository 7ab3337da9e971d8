package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.report.MonitorBounds;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What was reported and is not written yet, and from where. In memory only: a crash loses a few
 * sightings. A source has a quarter of the room, and where there is none, what has more than the
 * others makes it: so it does not push out what others have seen. A flood replaces its quarter each
 * second, and each collection of the heap copies what is there: so the objects are few and small.
 * Owned by the zone's turn.
 */
final class Sightings {

  private static final int OF_ONE_SOURCE_MAX = MonitorBounds.SEEN_ONCE_MAX / 4;
  private static final int KEY_DIGITS = 16;

  /** What waits, by half of its id; the one that was first seen longest ago is the first. */
  private final LinkedHashMap<Long, Sighting> seen = new LinkedHashMap<>();

  private final Map<String, Source> sources = new HashMap<>();

  /** A source, and what it was the first to report. */
  private record Source(String name, SequencedSet<Long> own) {}

  /**
   * How often something was reported.
   *
   * @param times the number of reports
   * @param source the source of the first one
   * @param others the hashes of the names of other sources, up to a number
   */
  record Sighting(int times, Source source, List<Integer> others) {
    private Sighting again(String other) {
      int hash = other.hashCode();
      boolean isKnown =
          source.name().equals(other)
              || sources() >= MonitorBounds.SOURCES_COUNTED_MAX
              || others.contains(hash);
      return new Sighting(
          times + 1,
          source,
          isKnown ? others : Stream.concat(others.stream(), Stream.of(hash)).toList());
    }

    /** {@return the number of sources, up to the most that are counted} */
    int sources() {
      return 1 + others.size();
    }
  }

  /** Adds a sighting, and returns all of the same id. */
  Sighting add(String id, String source) {
    Long key = key(id);
    @Nullable Sighting known = seen.get(key);
    Sighting now = known == null ? first(key, source) : known.again(source);
    seen.put(key, now);
    return now;
  }

  private Sighting first(Long key, String name) {
    @Nullable Source before = sources.get(name);
    if (before != null && before.own().size() >= OF_ONE_SOURCE_MAX) {
      forget(before.own().getFirst());
    }
    if (seen.size() >= MonitorBounds.SEEN_ONCE_MAX) {
      int own = before == null ? 0 : before.own().size();
      forget(
          before != null && own > seen.size() / sources.size()
              ? before.own().getFirst()
              : seen.firstEntry().getKey());
    }
    Source source = sources.computeIfAbsent(name, n -> new Source(n, new LinkedHashSet<>()));
    source.own().add(key);
    return new Sighting(1, source, List.of());
  }

  /** Removes what is listed now. */
  void forget(String id) {
    forget(key(id));
  }

  private void forget(Long key) {
    @Nullable Sighting known = seen.remove(key);
    if (known != null) {
      Source source = known.source();
      source.own().remove(key);
      if (source.own().isEmpty()) {
        sources.remove(source.name());
      }
    }
  }

  private static Long key(String id) {
    return Long.parseUnsignedLong(id, 0, KEY_DIGITS, 16);
  }
}
