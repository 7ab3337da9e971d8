package dev.holdfast.backend.rocksdb;

import dev.holdfast.recovery.Difference;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.PastImage;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.NavigableMap;

/**
 * The pairs that an object had at a moment, in memory. Immutable.
 *
 * @param pairs the values by key
 * @param alarms the object's alarms
 */
record PairsImage(NavigableMap<byte[], byte[]> pairs, List<AlarmRecord> alarms)
    implements PastImage {

  @Override
  public void forEach(EntryVisitor visitor) {
    pairs.forEach(
        (key, value) ->
            visitor.visit(
                Difference.KEYS,
                new String(key, StandardCharsets.UTF_8),
                HexFormat.of().formatHex(key),
                HexFormat.of().formatHex(value)));
  }

  @Override
  public void close() {}
}
