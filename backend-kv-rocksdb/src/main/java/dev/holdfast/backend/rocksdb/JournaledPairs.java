package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.database.ReadOnlyDatabase;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rocksdb.RocksDBException;

/** Finds pairs of a database that no batch of its journal has written. */
final class JournaledPairs {

  private JournaledPairs() {}

  /** What the journal has of one object. */
  private static final class Written {
    private final Set<ByteBuffer> keys = new HashSet<>();
    private boolean isNamed;
  }

  /** See {@link RocksDbHistory#lacking}; the library is loaded. */
  static List<ObjectKey> lacking(
      Path directory, RecoveryLog records, Set<ObjectKey> purged, Path scratch) throws IOException {
    Map<ObjectKey, Written> written = new HashMap<>();
    records.forEachFrom(
        1,
        (view, _) -> view == RocksDbBackend.VIEW_ID,
        record -> {
          if (purged.contains(record.key())) {
            Batch batch = Batch.decode(record.payload());
            Written of = written.computeIfAbsent(record.key(), _ -> new Written());
            of.isNamed |= batch.catalog() != null && batch.catalog().exists();
            for (Change change : batch.changes()) {
              of.keys.add(ByteBuffer.wrap(change.key()));
            }
          }
        });
    List<ObjectKey> lacking = new ArrayList<>();
    try (ReadOnlyDatabase database = ReadOnlyDatabase.open(directory, scratch)) {
      for (ObjectKey key : purged) {
        Integer namespace = database.namespaces().get(key.namespace());
        if (namespace != null
            && !isWritten(
                database,
                new ObjectPrefix(namespace, key),
                written.getOrDefault(key, new Written()))) {
          lacking.add(key);
        }
      }
    } catch (RocksDBException e) {
      throw new IOException("RocksDB cannot read " + directory + ": " + e.getMessage(), e);
    }
    return lacking;
  }

  private static boolean isWritten(ReadOnlyDatabase database, ObjectPrefix prefix, Written written)
      throws RocksDBException {
    boolean[] isWritten = {written.isNamed || !database.isInCatalog(prefix.start())};
    database.forEachPair(
        prefix.start(),
        (key, _) -> {
          int at = ObjectPrefix.LENGTH_BYTES;
          isWritten[0] &= written.keys.contains(ByteBuffer.wrap(key, at, key.length - at));
          return isWritten[0];
        });
    return isWritten[0];
  }
}
