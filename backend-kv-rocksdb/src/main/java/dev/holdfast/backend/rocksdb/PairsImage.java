package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.file.SpilledPairs;
import dev.holdfast.recovery.Difference;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.PastImage;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.function.ToLongBiFunction;

/**
 * The pairs of an object at one moment, as a separate copy. Owned by one thread.
 *
 * @param pairs the values by key; null for keys that had no value
 * @param alarms the object's alarms
 */
record PairsImage(SpilledPairs pairs, List<AlarmRecord> alarms) implements PastImage {

  private static final char REPLACEMENT = '\uFFFD';

  @Override
  public List<String> tables() {
    return List.of(Difference.KEYS);
  }

  @Override
  public List<String> columns(String table) {
    return List.of("value");
  }

  @Override
  public long count(String table) {
    return sum((_, _) -> 1);
  }

  @Override
  public long bytes() {
    return sum((key, value) -> (long) key.length + value.length);
  }

  private long sum(ToLongBiFunction<byte[], byte[]> of) {
    long[] sum = {0};
    pairs.forEach(
        (key, value) -> {
          sum[0] += value == null ? 0 : of.applyAsLong(key, value);
          return true;
        });
    return sum[0];
  }

  @Override
  public void forEach(String table, EntryVisitor visitor) {
    pairs.forEach(passing(visitor));
  }

  @Override
  public void forEachUnlike(
      PastImage other, String table, EntryVisitor ofThis, EntryVisitor ofOther) {
    pairs.forEachUnlike(((PairsImage) other).pairs, passing(ofThis), passing(ofOther));
  }

  private static SpilledPairs.Visitor passing(EntryVisitor visitor) {
    return (key, value) -> value == null || pass(key, value, visitor);
  }

  private static boolean pass(byte[] key, byte[] value, EntryVisitor visitor) {
    String shown = new String(key, StandardCharsets.UTF_8);
    boolean isExact = shown.indexOf(REPLACEMENT) < 0;
    return visitor.visit(
        shown, isExact ? "" : HexFormat.of().formatHex(key), Collections.singletonList(value));
  }

  @Override
  public void close() {
    pairs.close();
  }
}
