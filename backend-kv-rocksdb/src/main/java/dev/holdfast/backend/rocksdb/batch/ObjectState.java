package dev.holdfast.backend.rocksdb.batch;

import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.catalog.CatalogChange;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one object in the catalog. Immutable.
 *
 * @param exists whether the object is in the directory
 * @param name its name, if known
 * @param alarms all its alarms
 */
public record ObjectState(boolean exists, @Nullable String name, List<AlarmRecord> alarms) {

  static final ObjectState NONE = new ObjectState(false, null, List.of());

  public static ObjectState decode(byte @Nullable [] bytes) {
    if (bytes == null) {
      return NONE;
    }
    CatalogChange stored = CatalogChange.decode(ByteBuffer.wrap(bytes));
    return new ObjectState(
        true, stored.name(), stored.alarms() == null ? List.of() : stored.alarms().after());
  }

  public byte[] encode() {
    return new CatalogChange(
            true, name, alarms.isEmpty() ? null : new CatalogChange.Alarms(alarms, List.of()))
        .encode();
  }

  public ObjectState after(CatalogChange change) {
    return change.exists()
        ? new ObjectState(
            true,
            change.name() != null ? change.name() : name,
            change.alarms() != null ? change.alarms().after() : alarms)
        : NONE;
  }
}
