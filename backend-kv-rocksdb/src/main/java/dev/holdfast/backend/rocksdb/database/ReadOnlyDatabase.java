package dev.holdfast.backend.rocksdb.database;

import dev.holdfast.backend.rocksdb.batch.CatalogKeys;
import dev.holdfast.backend.rocksdb.batch.Keys;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.batch.ObjectState;
import dev.holdfast.backend.rocksdb.file.NativeHandles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * A database that no runtime has open, for reading. Nothing in its directory changes: what RocksDB
 * logs goes elsewhere. Used by one thread.
 */
public final class ReadOnlyDatabase implements AutoCloseable {

  private final NativeHandles handles;
  private final RocksDB rocks;
  private final ColumnFamilyHandle pairs;
  private final ColumnFamilyHandle meta;
  private final ColumnFamilyHandle catalog;
  private final Map<String, Integer> namespaces = new HashMap<>();

  private ReadOnlyDatabase(NativeHandles handles, RocksDB rocks, List<ColumnFamilyHandle> families)
      throws RocksDBException {
    this.handles = handles;
    this.rocks = rocks;
    this.pairs = families.get(0);
    this.meta = families.get(1);
    this.catalog = families.get(2);
    forEach(
        meta,
        DatabaseFiles.NAMESPACE_PREFIX.getBytes(StandardCharsets.US_ASCII),
        (key, value) -> {
          if (value.length == Integer.BYTES) {
            String name = new String(key, StandardCharsets.UTF_8);
            namespaces.put(
                name.substring(DatabaseFiles.NAMESPACE_PREFIX.length()),
                ByteBuffer.wrap(value).getInt());
          }
          return true;
        });
  }

  /**
   * Opens a database.
   *
   * @param directory its directory
   * @param logs where RocksDB writes its log
   */
  public static ReadOnlyDatabase open(Path directory, Path logs) throws RocksDBException {
    NativeHandles handles = new NativeHandles();
    try {
      DBOptions options =
          handles
              .add(new DBOptions())
              .setDbLogDir(logs.toString())
              .setInfoLogLevel(InfoLogLevel.FATAL_LEVEL)
              .setStatsDumpPeriodSec(0)
              .setStatsPersistPeriodSec(0);
      ColumnFamilyOptions plain = handles.add(new ColumnFamilyOptions());
      List<ColumnFamilyHandle> families = new ArrayList<>();
      RocksDB rocks =
          RocksDB.openReadOnly(
              options,
              directory.toString(),
              List.of(
                  new ColumnFamilyDescriptor(DatabaseFiles.PAIRS_FAMILY, plain),
                  new ColumnFamilyDescriptor(DatabaseFiles.META_FAMILY, plain),
                  new ColumnFamilyDescriptor(DatabaseFiles.CATALOG_FAMILY, plain)),
              families);
      handles.add(rocks);
      families.forEach(handles::add);
      ReadOnlyDatabase opened = new ReadOnlyDatabase(handles, rocks, families);
      handles = new NativeHandles(); // now the database owns them
      return opened;
    } finally {
      handles.close();
    }
  }

  /** {@return the position up to which it has every batch; 0 if it has none} */
  public long applied() throws RocksDBException {
    return number(DatabaseFiles.APPLIED_KEY);
  }

  /** {@return the id of the journal; {@link Database.Found#NO_JOURNAL} if it has none} */
  public long journalId() throws RocksDBException {
    return number(DatabaseFiles.JOURNAL_KEY);
  }

  /** {@return the version of the layout; 0 if it has none} */
  public int format() throws RocksDBException {
    byte[] value = rocks.get(meta, DatabaseFiles.FORMAT_KEY);
    return value == null || value.length != Integer.BYTES ? 0 : ByteBuffer.wrap(value).getInt();
  }

  /** {@return whether nothing was ever flushed, not even the version of the layout} */
  public boolean isUnused() throws RocksDBException {
    if (rocks.get(meta, DatabaseFiles.FORMAT_KEY) != null) {
      return false;
    }
    try (RocksIterator iterator = rocks.newIterator(pairs)) {
      iterator.seekToFirst();
      iterator.status();
      return !iterator.isValid();
    }
  }

  private long number(byte[] key) throws RocksDBException {
    byte[] value = rocks.get(meta, key);
    return value == null || value.length != Long.BYTES ? 0 : ByteBuffer.wrap(value).getLong();
  }

  /** {@return the numbers of the namespaces} */
  public Map<String, Integer> namespaces() {
    return namespaces;
  }

  /** {@return the value of a pair, by its key in the database; null if there is none} */
  public byte @Nullable [] pair(byte[] key) throws RocksDBException {
    return rocks.get(pairs, key);
  }

  /**
   * Reads every block of every table and compares it with its checksum.
   *
   * @throws RocksDBException if one is damaged; the message names the table
   */
  public void verifyTables() throws RocksDBException {
    rocks.verifyChecksum();
  }

  /** {@return how many bytes the tables have} */
  public long tableBytes() {
    return rocks.getLiveFilesMetaData().stream().mapToLong(each -> each.size()).sum();
  }

  /** Receives a pair. */
  public interface Visitor {
    /** {@return whether to continue} */
    boolean visit(byte[] key, byte[] value) throws RocksDBException;
  }

  /** Visits the pairs of an object, or all that begin with some bytes. */
  public void forEachPair(byte[] prefix, Visitor visitor) throws RocksDBException {
    forEach(pairs, prefix, visitor);
  }

  private void forEach(ColumnFamilyHandle family, byte[] prefix, Visitor visitor)
      throws RocksDBException {
    try (RocksIterator iterator = rocks.newIterator(family)) {
      boolean goesOn = true;
      for (iterator.seek(prefix); goesOn && iterator.isValid(); iterator.next()) {
        byte[] key = iterator.key();
        goesOn = startsWith(key, prefix) && visitor.visit(key, iterator.value());
      }
      iterator.status();
    }
  }

  private static boolean startsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  /** Visits the prefix of each object that has a pair; seeks from object to object. */
  public void forEachObject(Consumer<byte[]> visitor) throws RocksDBException {
    try (RocksIterator iterator = rocks.newIterator(pairs)) {
      iterator.seekToFirst();
      while (iterator.isValid()) {
        byte[] prefix =
            Arrays.copyOf(
                iterator.key(), Math.min(iterator.key().length, ObjectPrefix.LENGTH_BYTES));
        visitor.accept(prefix);
        iterator.seek(Keys.endOfPrefix(prefix));
      }
      iterator.status();
    }
  }

  /** {@return the state of an object in the catalog, by the prefix of its pairs} */
  public ObjectState catalogState(byte[] prefix) throws RocksDBException {
    return ObjectState.decode(rocks.get(catalog, CatalogKeys.state(prefix)));
  }

  /** Visits the prefix of each object in the catalog. */
  public void forEachInCatalog(Consumer<byte[]> visitor) throws RocksDBException {
    forEach(
        catalog,
        new byte[0],
        (key, _) -> {
          if (CatalogKeys.isState(key)) {
            visitor.accept(CatalogKeys.prefixOfState(key));
          }
          return true;
        });
  }

  /** {@return whether the catalog has an object, by the prefix of its pairs} */
  public boolean isInCatalog(byte[] prefix) throws RocksDBException {
    return rocks.get(catalog, CatalogKeys.state(prefix)) != null;
  }

  /**
   * Compares the indexes of the catalog with the states of the objects.
   *
   * @param wrong receives what differs, as a sentence
   * @return how many objects the catalog has
   */
  public long checkCatalog(Consumer<String> wrong) throws RocksDBException {
    long[] counts = new long[3]; // objects, expected keys of indexes, found ones
    forEach(
        catalog,
        new byte[0],
        (key, value) -> {
          if (CatalogKeys.isLastBatch(key)) {
            return true; // it stays when the object is gone
          }
          if (!CatalogKeys.isState(key)) {
            counts[2] += CatalogKeys.isNamed(key) ? CatalogKeys.ids(value).size() : 1;
            return true;
          }
          counts[0]++;
          try {
            ObjectPrefix prefix = ObjectPrefix.of(CatalogKeys.prefixOfState(key));
            for (byte[] expected : CatalogWriter.keys(prefix, ObjectState.decode(value))) {
              counts[1]++;
              byte[] found = rocks.get(catalog, expected);
              if (found == null
                  || (CatalogKeys.isNamed(expected)
                      && CatalogKeys.ids(found).stream()
                          .noneMatch(id -> Arrays.equals(id, prefix.id())))) {
                wrong.accept("An index lacks a key of the object " + hex(prefix.id()) + ".");
              }
            }
          } catch (IllegalArgumentException e) {
            wrong.accept("The state of an object cannot be read: " + e.getMessage() + ".");
          }
          return true;
        });
    if (counts[2] > counts[1]) {
      wrong.accept("The indexes have " + (counts[2] - counts[1]) + " keys without an object.");
    }
    return counts[0];
  }

  /** Receives the last batch of an object. */
  public interface LastBatchVisitor {
    void visit(ObjectPrefix prefix, long position) throws RocksDBException;
  }

  /** Passes the last batch of each object to a visitor. */
  public void forEachLastBatch(LastBatchVisitor visitor) throws RocksDBException {
    forEach(
        catalog,
        new byte[0],
        (key, value) -> {
          if (CatalogKeys.isLastBatch(key)) {
            ObjectPrefix prefix = ObjectPrefix.of(CatalogKeys.prefixOfState(key));
            visitor.visit(prefix, ByteBuffer.wrap(value).getLong());
          }
          return true;
        });
  }

  /**
   * Passes the last batch of each object of a namespace whose id is in a range to a visitor.
   *
   * @param namespace the number of the namespace
   * @param firstId the bytes with which the range begins
   * @param endId the bytes before which it ends
   * @param visitor receives them, in the order of the ids
   */
  public void forEachLastBatch(
      int namespace, byte[] firstId, byte[] endId, LastBatchVisitor visitor)
      throws RocksDBException {
    byte[] end = CatalogKeys.lastBatch(namespace, endId);
    try (RocksIterator iterator = rocks.newIterator(catalog)) {
      iterator.seek(CatalogKeys.lastBatch(namespace, firstId));
      for (; iterator.isValid() && Keys.ORDER.compare(iterator.key(), end) < 0; iterator.next()) {
        visitor.visit(
            ObjectPrefix.of(CatalogKeys.prefixOfState(iterator.key())),
            ByteBuffer.wrap(iterator.value()).getLong());
      }
      iterator.status();
    }
  }

  /** {@return what the catalog has of an object} */
  public ObjectState state(ObjectPrefix prefix) throws RocksDBException {
    return ObjectState.decode(rocks.get(catalog, CatalogKeys.state(prefix)));
  }

  /** {@return where the history of the database begins, as {@link Database.Found} says} */
  public long beginPosition() throws RocksDBException {
    return number(DatabaseFiles.BEGIN_KEY);
  }

  private static String hex(byte[] id) {
    return HexFormat.of().formatHex(id);
  }

  @Override
  public void close() {
    handles.close();
  }
}
