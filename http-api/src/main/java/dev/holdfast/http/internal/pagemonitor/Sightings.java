package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.HttpBounds;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * What was reported and is not listed yet, and from where. In memory only: a crash loses a few
 * sightings. A source has a quarter of the room, so it does not push out what others have seen.
 * Owned by the zone's turn.
 */
final class Sightings {

  private static final int OF_ONE_SOURCE_MAX = HttpBounds.SEEN_ONCE_MAX / 4;

  /** What waits, by its id; the one that was first seen longest ago is the first. */
  private final LinkedHashMap<String, Sighting> seen = new LinkedHashMap<>();

  private final Map<String, SequencedSet<String>> bySource = new HashMap<>();

  /**
   * How often something was reported.
   *
   * @param times the number of reports
   * @param source the source of the first one
   * @param isShared whether there was another source
   */
  record Sighting(int times, String source, boolean isShared) {
    private Sighting again(String other) {
      return new Sighting(times + 1, source, isShared || !source.equals(other));
    }
  }

  /** Adds a sighting, and returns all of the same id. */
  Sighting add(String id, String source) {
    Sighting known = seen.get(id);
    if (known == null) {
      SequencedSet<String> own = bySource.getOrDefault(source, new LinkedHashSet<>());
      if (own.size() >= OF_ONE_SOURCE_MAX) {
        forget(own.getFirst());
      }
      if (seen.size() >= HttpBounds.SEEN_ONCE_MAX) {
        forget(seen.firstEntry().getKey());
      }
      bySource.computeIfAbsent(source, s -> new LinkedHashSet<>()).add(id);
    }
    Sighting now = known == null ? new Sighting(1, source, false) : known.again(source);
    seen.put(id, now);
    return now;
  }

  /** Removes what is listed now. */
  void forget(String id) {
    @Nullable Sighting known = seen.remove(id);
    if (known != null) {
      SequencedSet<String> own = bySource.get(known.source());
      if (own != null && own.remove(id) && own.isEmpty()) {
        bySource.remove(known.source());
      }
    }
  }
}
