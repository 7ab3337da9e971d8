package dev.holdfast.spi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/**
 * An alarm in the index of a namespace.
 *
 * @param key the object that owns the alarm; the id has the object's name if the catalog has it
 * @param alarm the alarm
 */
public record AlarmEntry(ObjectKey key, AlarmRecord alarm) {

  /** The order of the index within a namespace: due time, then id, then name of the alarm. */
  public static final Comparator<AlarmEntry> ORDER = AlarmEntry::compare;

  // Written out instead of a chain of comparators: each change of an alarm uses it to find its
  // place in a tree.
  private static int compare(AlarmEntry left, AlarmEntry right) {
    int due = Long.compare(left.alarm.dueMillis(), right.alarm.dueMillis());
    if (due != 0) {
      return due;
    }
    int id = Arrays.compareUnsigned(left.key.id().toBytes(), right.key.id().toBytes());
    return id != 0
        ? id
        : Arrays.compareUnsigned(
            left.alarm.name().getBytes(StandardCharsets.UTF_8),
            right.alarm.name().getBytes(StandardCharsets.UTF_8));
  }
}
