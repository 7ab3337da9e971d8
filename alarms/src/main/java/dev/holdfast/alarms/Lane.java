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
 * The alarms of one namespace that are due next, in the order of the index: all up to the
 * <em>horizon</em>, and none behind it. What is behind it is on the disk only, so a million alarms
 * cost no more than a window of them.
 *
 * <p>A change of an object's alarms comes here when its batch is appended. A part of the index is
 * read from the disk after the horizon was moved, and after everything that was appended before has
 * become durable; so each change is in one of both, or in both, which does no harm: the change
 * wins.
 *
 * <p>Only the beginning of a reading raises the horizon. Whatever is forgotten for want of room
 * lowers it, also while a part is read, and no end of a reading raises it again: what was forgotten
 * is read later.
 *
 * <p>Memory may end in the middle of a change. Then the lane forgets everything, which takes none:
 * an alarm that it had lost would else not fire until the next opening.
 *
 * <p>Guarded by the lock of its {@link Dispatcher}.
 */
final class Lane {

  private static final ObjectId LAST_ID = lastId();

  final String namespace;

  private final int sizeMax;

  /** Behind every alarm that there can be. */
  private final AlarmEntry end;

  private final TreeSet<AlarmEntry> due = new TreeSet<>(AlarmEntry.ORDER);
  private final Map<ObjectId, List<AlarmEntry>> byObject = new HashMap<>();

  /** Everything at or before it is here; null if nothing was read. */
  private @Nullable AlarmEntry horizon;

  /** Objects whose alarms changed while a part of the index is being read. */
  private @Nullable Map<ObjectId, Boolean> changedWhileReading;

  Lane(String namespace, int sizeMax) {
    this.namespace = namespace;
    this.sizeMax = sizeMax;
    this.end =
        new AlarmEntry(
            new ObjectKey(namespace, LAST_ID), AlarmRecord.once("\uFFFF", Long.MAX_VALUE));
  }

  @Nullable AlarmEntry horizon() {
    return horizon;
  }

  /** {@return whether everything that the index has is here} */
  boolean isComplete() {
    return end.equals(horizon);
  }

  boolean isReading() {
    return changedWhileReading != null;
  }

  int size() {
    return due.size();
  }

  @Nullable AlarmEntry first() {
    return due.isEmpty() ? null : due.first();
  }

  /** Takes all alarms that an object has now in the place of those it had. */
  void changed(ObjectKey key, List<AlarmRecord> alarms) {
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

  /** Forgets everything; what the index has is to be read again. Takes no memory. */
  void forget() {
    horizon = null;
    due.clear();
    byObject.clear();
  }

  /**
   * Takes an alarm back that was not run; a newer one with its name wins. One behind the horizon is
   * on the disk.
   */
  void addBack(AlarmEntry entry) {
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
      // Whatever was between the two is on the disk as well.
      horizon = due.last();
    }
  }

  /** Forgets what is behind an entry; null for everything. */
  private void lowerHorizon(@Nullable AlarmEntry to) {
    if (to == null) {
      forget();
    } else if (horizon != null && AlarmEntry.ORDER.compare(to, horizon) < 0) {
      horizon = to;
      List.copyOf(due.tailSet(to, false)).forEach(this::remove);
    }
  }

  private void insert(AlarmEntry entry) {
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
    changedWhileReading = new HashMap<>(); // may fail, so it comes first
    horizon = end;
  }

  /**
   * Takes a part of the index.
   *
   * @param read the entries behind the horizon that was
   * @param complete whether there are no more behind them; else the horizon moves back to the last
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

  /** Gives up a reading that failed. */
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
