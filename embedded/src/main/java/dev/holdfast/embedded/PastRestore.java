package dev.holdfast.embedded;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.pitr.JournaledRecovery;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery.Purge;
import dev.holdfast.spi.StorageBackend.ObjectPresence;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.inspect.Inspection;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Takes all objects of a data directory back to a moment that its history covers, by undoing what
 * came later. The journal goes on: it keeps the later states, and the events of the later turns.
 * Confined to one thread.
 */
final class PastRestore {

  private static final int THREADS = 8;

  /** How many objects a message names. */
  private static final int SHOWN_MAX = 10;

  private final Path data;
  private final Disk disk;

  PastRestore(Path data, Disk disk) {
    this.data = data;
    this.disk = disk;
  }

  /**
   * What was restored.
   *
   * @param position the last position that belongs to the moment
   * @param purged the objects that could not go back, because their history was purged since
   */
  record Outcome(long position, List<String> purged) {}

  /**
   * Restores the objects.
   *
   * @param selection the objects that matter; null for all
   * @throws DataDirectoryException if the history does not cover the moment, or does not prove it
   * @throws dev.holdfast.BookmarkException if an object keeps no history
   */
  Outcome run(RestoreRequest request, @Nullable Predicate<ObjectKey> selection) {
    Later later;
    List<String> purged;
    try (OperatedDirectory found = OperatedDirectory.open(data, disk, new EngineBuilder(_ -> {}))) {
      later = later(found.inspection(), request.target(), selection);
      purged = purged(found.inspection(), later, selection);
    }
    if (!purged.isEmpty() && !request.isPurgeAccepted()) {
      throw purged(purged);
    }
    // A namespace whose objects were all deleted later is not found in the files.
    EngineBuilder engine = new EngineBuilder(_ -> {});
    later.namespaces().forEach((name, kind) -> engine.withoutCode(name, options(kind)));
    try (OperatedDirectory found = OperatedDirectory.open(data, disk, engine)) {
      restore(found, later);
      withdraw(found, later);
    }
    return new Outcome(later.position(), purged);
  }

  /**
   * Takes the objects out that cannot go back, because their history was purged after the moment,
   * and proves that no other object was changed after it without a record that says so.
   *
   * @return the objects that cannot go back, of those that were changed after the moment
   */
  private List<String> purged(
      Inspection inspection, Later later, @Nullable Predicate<ObjectKey> selection) {
    Map<ObjectKey, Long> ends = new HashMap<>();
    for (Purge each : inspection.purges()) {
      if (each.upTo() > later.position()) {
        ends.put(each.key(), each.upTo());
      }
    }
    long explained = ends.values().stream().mapToLong(Long::longValue).max().orElse(0);
    if (later.lastErased() > explained) {
      throw erased(later.lastErased());
    }
    Set<String> purged = new TreeSet<>();
    for (ObjectKey each : ends.keySet()) {
      if (later.objects().remove(each) != null) {
        purged.add(shown(each));
      }
    }
    if (!ends.isEmpty()) {
      boolean isKnown =
          inspection.changedAfter(
              later.position(),
              key -> {
                if (selection != null && !selection.test(key)) {
                  return;
                }
                if (ends.containsKey(key)) {
                  purged.add(shown(key));
                } else if (!later.objects().containsKey(key)) {
                  throw incomplete(key);
                }
              });
      if (!isKnown) {
        throw unknown();
      }
    }
    return List.copyOf(purged);
  }

  private static String shown(ObjectKey key) {
    return key.namespace() + "/" + key.id();
  }

  /** Objects do not wait for each other's files. */
  private static void restore(OperatedDirectory found, Later later) {
    List<Future<?>> ends = new ArrayList<>();
    try (ExecutorService threads =
        Executors.newFixedThreadPool(
            THREADS, Thread.ofPlatform().daemon().name("holdfast-restore").factory())) {
      for (ObjectKey key : later.objects().keySet()) {
        ends.add(
            threads.submit(
                () -> {
                  String bookmark = found.inspection().bookmark(key, later.position());
                  found.runtime().admin().restoreNow(key.namespace(), key.id(), bookmark);
                }));
      }
    }
    for (Future<?> end : ends) {
      if (end.state() == Future.State.FAILED) {
        switch (end.exceptionNow()) {
          case RuntimeException e -> throw e;
          case Error e -> throw e;
          case Throwable e -> throw new IllegalStateException("A restore throws nothing else.", e);
        }
      }
    }
  }

  /** What was requested after the moment would be done at the next start of the object. */
  private static void withdraw(OperatedDirectory found, Later later) {
    Set<String> known = found.inspection().namespaces().keySet();
    for (ObjectKey key : later.asked()) {
      // Otherwise the restore has ended the request.
      if (!later.objects().containsKey(key) && known.contains(key.namespace())) {
        found.runtime().recovery(key.namespace(), key.id()).withdrawRestore();
      }
    }
  }

  private static NamespaceOptions options(StorageKind kind) {
    return NamespaceOptions.DEFAULT.withStorage(kind).withRecoveryWindow(Opening.ALL_HISTORY);
  }

  /**
   * What came after the moment.
   *
   * @param position the last position that belongs to the moment
   * @param objects those that were changed, and where they are stored
   * @param namespaces the namespaces of all objects that matter, and where their objects are stored
   * @param asked the objects of which something is recorded about restores
   * @param lastErased the last position of a record that was erased; 0 if there is none
   */
  private record Later(
      long position,
      Map<ObjectKey, StorageKind> objects,
      Map<String, StorageKind> namespaces,
      Set<ObjectKey> asked,
      long lastErased) {}

  private Later later(
      Inspection inspection, RestoreTarget moment, @Nullable Predicate<ObjectKey> selection) {
    JournalHistory history = inspection.journal();
    long position =
        switch (moment) {
          case RestoreTarget.Latest _ ->
              throw new IllegalArgumentException("The last state is the present one.");
          case RestoreTarget.AtPosition at -> at.position();
          case RestoreTarget.AtTime at -> history.positionAt(at.time().toEpochMilli());
        };
    Map<ObjectKey, StorageKind> objects = new LinkedHashMap<>();
    Map<String, StorageKind> namespaces = new HashMap<>();
    Set<ObjectKey> asked = new HashSet<>();
    // An object that was deleted later is in no catalog, and the undo of that has no name.
    Map<ObjectKey, String> names = new HashMap<>();
    long[] last = {history.oldestPosition() - 1};
    long[] lastErased = {0};
    Map<StorageKind, Long> givenUp = new HashMap<>();
    history.forEach(
        history.oldestPosition(),
        Long.MAX_VALUE,
        record -> {
          last[0] = record.position();
          if (record.position() > position && record.isErased()) {
            lastErased[0] = record.position();
          }
          StorageKind lost = inspection.givenUpIn(record);
          if (record.position() > position && lost != null) {
            givenUp.put(lost, record.position());
          }
          if (selection != null && !selection.test(record.key())) {
            return;
          }
          if (record.position() > position && record.viewId() == JournaledRecovery.VIEW_ID) {
            asked.add(record.key());
          }
          StorageKind kind = inspection.storageOf(record);
          if (kind != null) {
            namespaces.put(record.key().namespace(), kind);
            ObjectPresence presence = inspection.presenceIn(record);
            if (presence != null && presence.name() != null) {
              names.put(record.key(), presence.name());
            }
            if (record.position() > position) {
              objects.put(record.key(), kind);
            }
          }
        });
    requireCovered(history, position, last[0]);
    Map<ObjectKey, StorageKind> named = new LinkedHashMap<>();
    objects.forEach(
        (key, kind) ->
            named.put(
                new ObjectKey(key.namespace(), ObjectId.of(key.id().toBytes(), names.get(key))),
                kind));
    givenUp.forEach(
        (kind, at) -> {
          // Without a record it is not known where the selected objects were.
          if (selection == null || namespaces.isEmpty() || namespaces.containsValue(kind)) {
            throw givenUp(kind, at);
          }
        });
    return new Later(position, named, namespaces, asked, lastErased[0]);
  }

  private DataDirectoryException purged(List<String> objects) {
    int shown = Math.min(objects.size(), SHOWN_MAX);
    return new DataDirectoryException(
        data,
        "The history of "
            + objects.size()
            + " objects was purged after this moment, and their states of then are gone: "
            + String.join(", ", objects.subList(0, shown))
            + (shown < objects.size() ? ", and others" : "")
            + ". To restore all other objects, and leave these as they are now, use"
            + " --without-purged (RestoreRequest.withoutPurged)",
        null);
  }

  /** Nothing says whose record it was, so no state of everything is known. */
  private DataDirectoryException erased(long position) {
    return new DataDirectoryException(
        data,
        "The state at this moment cannot be proven: a later record, at journal position "
            + position
            + ", was erased, and no purge that is known has done it. It is not known which object"
            + " it changed. Name a moment after it, restore from an archive, or restore single"
            + " objects (./holdfast inspect restore)",
        null);
  }

  private DataDirectoryException unknown() {
    return new DataDirectoryException(
        data,
        "The state at this moment cannot be proven: objects were purged after it, and a storage"
            + " backend of the directory does not say which objects were changed after it. Name a"
            + " moment after the last purge, or restore from an archive or a backup",
        null);
  }

  private DataDirectoryException incomplete(ObjectKey key) {
    return new DataDirectoryException(
        data,
        "The state at this moment cannot be proven: the object "
            + shown(key)
            + " was changed after it, and no record says how. Run ./holdfast verify, and restore"
            + " from an archive or a backup",
        null);
  }

  /** Also objects that were not changed later have lost what they had. */
  private DataDirectoryException givenUp(StorageKind kind, long position) {
    return new DataDirectoryException(
        data,
        "The state at this moment is not known: the data of all objects in "
            + kind
            + " was given up later, at journal position "
            + position
            + ". Name a moment after it, restore from an archive, or restore only objects in"
            + " another storage (--namespace, --object)",
        null);
  }

  private void requireCovered(JournalHistory history, long position, long last) {
    if (position < Math.max(1, history.oldestPosition()) || position > last) {
      throw new DataDirectoryException(
          data,
          "The history does not cover the moment: it has the positions from "
              + history.oldestPosition()
              + " to "
              + last
              + ", and begins at "
              + Instant.ofEpochMilli(history.oldestWallMillis())
              + ". Name a moment that it has, or restore from an archive",
          null);
    }
  }
}
