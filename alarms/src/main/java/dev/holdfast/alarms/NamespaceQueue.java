package dev.holdfast.alarms;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.ObjectKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one namespace: its alarms that are due next, in the order of the index. It holds all
 * alarms up to the <em>horizon</em>, and none after it. Later alarms are on disk only, so a million
 * alarms cost no more memory than a window of them.
 *
 * <p>A change of an object's alarms arrives here when its batch is appended. A part of the index is
 * read from disk after the horizon was moved, and after all records appended before have become
 * durable. So each change arrives here, is in the part that is read, or both. Both is harmless: the
 * change wins.
 *
 * <p>Only the beginning of a read raises the horizon. Dropping alarms for lack of room lowers it,
 * also during a read, and the end of a read never raises it: dropped alarms are read later.
 *
 * <p>Memory may run out in the middle of a change. Then the queue drops everything, which needs no
 * memory: otherwise a lost alarm would not fire until the runtime is opened again.
 *
 * <p>Guarded by the lock of its {@link Dispatcher}.
 */
final class NamespaceQueue {

  private static final ObjectId LAST_ID = lastId();

  final String namespace;

  private final int sizeMax;

  /** Greater than every possible alarm. */
  private final AlarmEntry end;

  private final TreeSet<AlarmEntry> due = new TreeSet<>(AlarmEntry.ORDER);
  private final Map<ObjectId, List<AlarmEntry>> byObject = new HashMap<>();

  /** All alarms at or before it are here; null if nothing was read. */
  private @Nullable AlarmEntry horizon;

  /** The horizon when the read in progress began; null also if none is in progress. */
  private @Nullable AlarmEntry readFrom;

  /** Objects whose alarms changed while a part of the index is being read. */
  private @Nullable Map<ObjectId, Boolean> changedWhileReading;

  NamespaceQueue(String namespace, int sizeMax) {
    this.namespace = namespace;
    this.sizeMax = sizeMax;
    this.end = lastAt(Long.MAX_VALUE);
  }

  /** {@return an entry that is greater than every possible alarm that is due then or before} */
  AlarmEntry lastAt(long dueMillis) {
    return new AlarmEntry(new ObjectKey(namespace, LAST_ID), AlarmRecord.once("\uFFFF", dueMillis));
  }

  @Nullable AlarmEntry horizon() {
    return horizon;
  }

  /** {@return whether all alarms of the index are here} */
  boolean isComplete() {
    return end.equals(horizon);
  }

  /**
   * {@return the alarm up to which all alarms of the index are here, also while the next part is
   * read; null if nothing was read}
   */
  @Nullable AlarmEntry completeTo() {
    AlarmEntry to = horizon;
    return !isReading()
            || to == null
            || (readFrom != null && AlarmEntry.ORDER.compare(to, readFrom) < 0)
        ? to
        : readFrom;
  }

  /** {@return whether the next part of the index is to be read} */
  boolean needsPage() {
    return !isReading() && !isComplete() && due.size() <= AlarmBounds.PAGE / 2;
  }

  boolean isReading() {
    return changedWhileReading != null;
  }

  @Nullable AlarmEntry first() {
    return due.isEmpty() ? null : due.first();
  }

  /** Replaces the alarms of an object by all that it has now. */
  void changed(ObjectKey key, List<AlarmRecord> alarms) {
    assert key.namespace().equals(namespace);
    boolean done = false;
    try {
      removeAll(key.id());
      if (changedWhileReading != null) {
        changedWhileReading.put(key.id(), Boolean.TRUE);
      }
      for (AlarmRecord alarm : alarms) {
        if (alarm.state() == State.PENDING) {
          add(new AlarmEntry(key, alarm));
        }
      }
      done = true;
    } finally {
      if (!done) {
        forget();
      }
    }
  }

  /** Drops all alarms; the index is read again. Needs no memory. */
  void forget() {
    horizon = null;
    due.clear();
    byObject.clear();
  }

  /**
   * Returns an alarm to the queue that was not run; a newer one with its name wins. An alarm after
   * the horizon is on disk.
   */
  void addBack(AlarmEntry entry) {
    assert entry.key().namespace().equals(namespace);
    for (AlarmEntry present : byObject.getOrDefault(entry.key().id(), List.of())) {
      if (present.alarm().name().equals(entry.alarm().name())) {
        return;
      }
    }
    boolean done = false;
    try {
      add(entry);
      done = true;
    } finally {
      if (!done) {
        forget();
      }
    }
  }

  private void add(AlarmEntry entry) {
    if (horizon == null || AlarmEntry.ORDER.compare(entry, horizon) > 0) {
      return;
    }
    insert(entry);
    trim();
  }

  private void trim() {
    while (due.size() > sizeMax) {
      remove(due.last());
      // All alarms between the two are on disk as well.
      horizon = due.last();
    }
    assert horizon != null;
  }

  /** Drops the alarms after an entry; null for all. */
  private void lowerHorizon(@Nullable AlarmEntry to) {
    if (to == null) {
      forget();
    } else if (horizon != null && AlarmEntry.ORDER.compare(to, horizon) < 0) {
      horizon = to;
      List.copyOf(due.tailSet(to, false)).forEach(this::remove);
    }
  }

  private void insert(AlarmEntry entry) {
    assert horizon != null && AlarmEntry.ORDER.compare(entry, horizon) <= 0;
    if (due.add(entry)) {
      byObject.computeIfAbsent(entry.key().id(), _ -> new ArrayList<>(1)).add(entry);
    }
  }

  void remove(AlarmEntry entry) {
    boolean done = false;
    try {
      due.remove(entry);
      List<AlarmEntry> own = byObject.get(entry.key().id());
      if (own != null && own.removeIf(each -> AlarmEntry.ORDER.compare(each, entry) == 0)) {
        if (own.isEmpty()) {
          byObject.remove(entry.key().id());
        }
      }
      done = true;
    } finally {
      if (!done) {
        forget();
      }
    }
  }

  private void removeAll(ObjectId id) {
    List<AlarmEntry> own = byObject.remove(id);
    if (own != null) {
      own.forEach(due::remove);
    }
  }

  /** Moves the horizon to the end, so that from now on every change is kept. */
  void beginReading() {
    assert !isReading();
    changedWhileReading = new HashMap<>(); // may fail, so it comes first
    readFrom = horizon;
    horizon = end;
  }

  /**
   * Adds a part of the index.
   *
   * @param read the entries after the previous horizon
   * @param complete whether no entries follow; otherwise the horizon moves back to the last entry
   */
  void endReading(List<AlarmEntry> read, boolean complete) {
    Map<ObjectId, Boolean> changed = changedWhileReading == null ? Map.of() : changedWhileReading;
    changedWhileReading = null;
    boolean done = false;
    try {
      if (!complete && !read.isEmpty()) {
        lowerHorizon(read.getLast());
      }
      for (AlarmEntry entry : read) {
        if (!changed.containsKey(entry.key().id())) {
          add(entry);
        }
      }
      done = true;
    } finally {
      if (!done) {
        forget();
      }
    }
  }

  /** Ends a read that failed. */
  void failReading(@Nullable AlarmEntry horizonBefore) {
    changedWhileReading = null;
    lowerHorizon(horizonBefore);
  }

  private static ObjectId lastId() {
    byte[] bytes = new byte[ObjectId.LENGTH_BYTES];
    Arrays.fill(bytes, (byte) 0xFF);
    return ObjectId.of(bytes, null);
  }
}
