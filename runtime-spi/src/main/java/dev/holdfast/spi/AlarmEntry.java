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
  public static final Comparator<AlarmEntry> ORDER =
      Comparator.comparingLong((AlarmEntry entry) -> entry.alarm().dueMillis())
          .thenComparing(entry -> entry.key().id().toBytes(), Arrays::compareUnsigned)
          .thenComparing(
              entry -> entry.alarm().name().getBytes(StandardCharsets.UTF_8),
              Arrays::compareUnsigned);
}
