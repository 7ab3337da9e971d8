package dev.holdfast.spi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/**
 * An alarm in the index of a namespace.
 *
 * @param key whose alarm; the id knows the object's name if the catalog does
 * @param alarm the alarm
 */
public record AlarmEntry(ObjectKey key, AlarmRecord alarm) {

  /** The order of the index within a namespace: due time, then id, then name of the alarm. */
  public static final Comparator<AlarmEntry> ORDER = AlarmEntry::compare;

  // Not a chain of comparators: each change of an alarm finds its place in a tree with this.
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
