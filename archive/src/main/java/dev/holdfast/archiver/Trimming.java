package dev.holdfast.archiver;

import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archiver.ArchiveFiles.Chunk;
import dev.holdfast.archiver.BaseFiles.Place;
import dev.holdfast.journal.retention.SettledClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Deletes what no moment inside the retention needs: older base images, and chunks before the
 * oldest image that stays. Entries of generations stay: they are small, and are the history of the
 * archive.
 *
 * <p>Whatever is deleted in one run can be deleted again by the next one: a run may end anywhere.
 * Confined to one thread.
 */
final class Trimming {

  /** Moments also leave the retention while no image is made. */
  private static final Duration PAUSE = Duration.ofHours(1);

  private final ArchiveFiles files;
  private final BaseFiles bases;
  private final ArchiveOptions options;
  private final TimeSource time;
  private long lastNanos;

  /** What is deleted never comes back; null before the archive was read. */
  private @Nullable SettledClock clock;

  /** Says whether this runtime still owns the archive, and goes on to delete. */
  interface Ownership {
    boolean isHeld() throws IOException;
  }

  Trimming(ArchiveFiles files, ArchiveOptions options, TimeSource time) {
    this.files = files;
    this.bases = new BaseFiles(files);
    this.options = options;
    this.time = time;
    this.lastNanos = time.monotonicNanos();
  }

  /**
   * Deletes what is not needed, now and then.
   *
   * @param isNow whether not to wait
   * @throws IOException if the store fails; some of it may be deleted
   */
  void run(Generation own, boolean isNow, Ownership ownership) throws IOException {
    long nowNanos = time.monotonicNanos();
    boolean isLimited =
        !options.retention().equals(ArchiveOptions.FOREVER)
            || options.basesMax() != Integer.MAX_VALUE;
    if (isLimited && (isNow || nowNanos - lastNanos >= PAUSE.toNanos())) {
      Needed needed = new Needed(own);
      needed.addMomentsFrom(cutMillis(needed));
      delete(needed, ownership);
      lastNanos = nowNanos;
    }
  }

  /**
   * Deletes everything that the latest state does not need: every earlier moment, and every
   * generation that went another way.
   *
   * @throws IOException if the store fails; some of it may be deleted
   */
  void runToLatest(Generation own, Ownership ownership) throws IOException {
    Needed needed = new Needed(own);
    needed.addMoments(own, Long.MAX_VALUE);
    for (String folder : ArchiveFiles.FOLDERS) {
      requireHeld(ownership);
      files.deleteUnfinished(folder);
    }
    delete(needed, ownership);
  }

  private long cutMillis(Needed needed) {
    SettledClock known = clock;
    if (known == null) {
      known = new SettledClock(time, needed.earlierMillis(time.wallMillis()));
      clock = known;
    }
    long nowMillis = known.millis();
    Duration retention = options.retention();
    long byAge =
        retention.compareTo(Duration.ofMillis(nowMillis)) >= 0
            ? Long.MIN_VALUE
            : nowMillis - retention.toMillis();
    List<Base> own = needed.basesOf(needed.own);
    return own.size() <= options.basesMax()
        ? byAge
        : Math.max(byAge, own.get(options.basesMax() - 1).millis());
  }

  // ---------------------------------------------------------------- what is needed

  /** What the moments inside the retention need. */
  private final class Needed {

    private final Generation own;
    private final NavigableMap<Long, Generation> generations = new TreeMap<>();
    private final SortedMap<Place, List<String>> entries;
    private final Map<Place, Base> images = new HashMap<>();
    private final Set<Place> places = new HashSet<>();

    /** The first position that is needed of each generation that is. */
    private final Map<Long, Long> positions = new HashMap<>();

    Needed(Generation own) throws IOException {
      this.own = own;
      for (Generation each : files.generations()) {
        generations.put(each.number(), each);
      }
      this.entries = bases.entries();
      for (Place place : BaseFiles.complete(entries)) {
        Base base = bases.read(place);
        if (base != null && !base.isGivenUp()) {
          images.put(place, base);
        }
      }
    }

    /**
     * {@return how far time was in the generation before, or when the first one was opened} The
     * last image says it, not the greatest time: a clock may have been ahead then, too.
     */
    long earlierMillis(long nowMillis) {
      Map.Entry<Long, Generation> before = generations.lowerEntry(own.number());
      long openedMillis = before == null ? own.openedMillis() : before.getValue().openedMillis();
      long millis =
          basesOf(own).stream()
              .filter(base -> base.generation() < own.number())
              .findFirst()
              .map(Base::millis)
              .orElse(openedMillis);
      return Math.min(millis, nowMillis);
    }

    /** {@return where the newest image of the lineage is; before all others if there is none} */
    Place newestPlace() {
      List<Base> bases = basesOf(own);
      return bases.isEmpty() ? new Place(0, 0) : Place.of(bases.getFirst());
    }

    void addMomentsFrom(long cutMillis) {
      // The generation that was written at the time, and all later ones, also those that the
      // newest one does not continue: a restore to a time asks for the one of that time.
      Generation first = null;
      for (Generation each : generations.values()) {
        if (each.openedMillis() <= cutMillis) {
          first = each;
        }
      }
      long from = first == null ? 0 : first.number();
      for (Generation each : generations.tailMap(from).values()) {
        // What one had not archived when it ended is in the next, also for moments before that.
        Map<Long, Long> lineage = lineage(each);
        long begunMillis =
            generations.tailMap(from).values().stream()
                .filter(before -> lineage.containsKey(before.number()))
                .mapToLong(Generation::openedMillis)
                .min()
                .orElse(cutMillis);
        addMoments(each, Math.max(cutMillis, begunMillis));
      }
    }

    /** Adds what the moments of a lineage from a time on need. */
    void addMoments(Generation generation, long millis) {
      Base begin = newest(generation, millis);
      long position = begin == null ? 0 : begin.firstPosition();
      lineage(generation)
          .forEach(
              (number, lastPosition) -> {
                if (lastPosition >= position) {
                  positions.merge(number, position, Math::min);
                }
              });
      for (Base base : basesOf(generation)) {
        if (begin == null || base.position() >= begin.position()) {
          places.add(Place.of(base));
        }
      }
    }

    /** {@return the newest image that a restore to a time can begin with; null if there is none} */
    @Nullable Base newest(Generation generation, long millis) {
      return basesOf(generation).stream()
          .filter(base -> base.millis() <= millis)
          .findFirst()
          .orElse(null);
    }

    /** {@return the images of a lineage, newest first} */
    List<Base> basesOf(Generation generation) {
      List<Base> found = new ArrayList<>();
      lineage(generation)
          .forEach(
              (number, lastPosition) ->
                  images.values().stream()
                      .filter(
                          base -> base.generation() == number && base.position() <= lastPosition)
                      .forEach(found::add));
      found.sort((one, other) -> Long.compare(other.position(), one.position()));
      return found;
    }

    /** {@return up to which position records of each generation belong to a lineage} */
    private Map<Long, Long> lineage(Generation newest) {
      Map<Long, Long> lineage = new LinkedHashMap<>();
      long lastPosition = Long.MAX_VALUE;
      Generation generation = newest;
      while (generation != null) {
        lineage.put(generation.number(), lastPosition);
        lastPosition = Math.min(lastPosition, generation.origin().position());
        generation = generations.get(generation.origin().generation());
      }
      return lineage;
    }
  }

  // ---------------------------------------------------------------- deleting

  private void delete(Needed needed, Ownership ownership) throws IOException {
    Generation own = needed.own;
    for (Map.Entry<Place, List<String>> each : needed.entries.entrySet()) {
      Place place = each.getKey();
      if (place.generation() > own.number() || needed.places.contains(place)) {
        continue;
      }
      if (!each.getValue().remove(place.name())) {
        // Never completed. The runtime that made it may still be about to; this one makes none that
        // is older than its last.
        boolean isGivenUp =
            (place.generation() < own.number() || place.compareTo(needed.newestPlace()) < 0)
                && bases.add(Base.givenUp(place.generation(), own.journalId(), place.position()));
        if (isGivenUp) {
          deleteAll(each.getValue(), ownership);
        }
      } else if (needed.images.containsKey(place)) {
        deleteAll(List.of(place.name()), ownership); // before its packs: none is ever incomplete
        deleteAll(each.getValue(), ownership);
      } else {
        deleteAll(each.getValue(), ownership); // of one that was given up
      }
    }
    SortedMap<Long, List<Chunk>> chunks = files.chunks();
    for (Map.Entry<Long, List<Chunk>> each : chunks.entrySet()) {
      if (each.getKey() <= own.number()) {
        long from = needed.positions.getOrDefault(each.getKey(), Long.MAX_VALUE);
        deleteAll(namesBefore(each.getValue(), from), ownership);
      }
    }
  }

  /** {@return the names of the chunks whose records are all before a position} */
  private static List<String> namesBefore(List<Chunk> chunks, long position) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < chunks.size(); i++) {
      long next = i + 1 < chunks.size() ? chunks.get(i + 1).firstPosition() : Long.MAX_VALUE;
      if (next <= position) {
        names.add(chunks.get(i).name());
      }
    }
    return names;
  }

  private void deleteAll(List<String> names, Ownership ownership) throws IOException {
    for (String name : names) {
      requireHeld(ownership);
      files.delete(name);
    }
  }

  /** Each time: a runtime that takes a generation may need what this one does not. */
  private void requireHeld(Ownership ownership) throws IOException {
    if (!ownership.isHeld()) {
      throw new IOException(
          "This runtime archives to " + files + " no more, or not now; nothing more is deleted");
    }
  }
}
