package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.file.SpilledPairs;
import dev.holdfast.recovery.Difference;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.PastImage;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * The pairs of an object at one moment, as a separate copy. Owned by one thread.
 *
 * @param pairs the values by key; null for keys that had no value
 * @param alarms the object's alarms
 */
record PairsImage(SpilledPairs pairs, List<AlarmRecord> alarms) implements PastImage {

  @Override
  public void forEach(EntryVisitor visitor) {
    pairs.forEach(
        (key, value) -> {
          if (value != null) {
            visitor.visit(
                Difference.KEYS,
                new String(key, StandardCharsets.UTF_8),
                HexFormat.of().formatHex(key),
                HexFormat.of().formatHex(value));
          }
        });
  }

  @Override
  public void close() {
    pairs.close();
  }
}
