package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.file.NativeLibrary;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Whether a journal makes objects of a database from nothing. Needs RocksDB's library. */
public final class RocksDbHistory {

  private RocksDbHistory() {}

  /**
   * Returns the objects that have pairs, or are listed, without a batch that has written that. Only
   * objects whose history was purged can be such ones: a database is made by its journal.
   *
   * @param directory the database, which no runtime has open
   * @param records the records of the journal, from the first on
   * @param purged the objects to look at
   * @param scratch an empty directory; deleted by its owner
   * @return the objects; empty if the journal makes all of them
   * @throws IOException if the database cannot be read
   * @throws DataDirectoryException if RocksDB's library is missing
   */
  public static List<ObjectKey> lacking(
      Path directory, RecoveryLog records, Set<ObjectKey> purged, Path scratch) throws IOException {
    NativeLibrary.load(directory);
    return JournaledPairs.lacking(directory, records, purged, scratch);
  }
}
