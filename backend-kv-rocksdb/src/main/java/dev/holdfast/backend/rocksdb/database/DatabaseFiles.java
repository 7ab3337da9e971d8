package dev.holdfast.backend.rocksdb.database;

import dev.holdfast.backend.rocksdb.file.DatabaseFigures;
import dev.holdfast.backend.rocksdb.file.Manifest;
import dev.holdfast.backend.rocksdb.file.NativeHandles;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import dev.holdfast.backend.rocksdb.file.SpilledPairs;
import dev.holdfast.backend.rocksdb.file.TornManifest;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FormatVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Statistics;
import org.rocksdb.Status.Code;
import org.rocksdb.WriteOptions;

/**
 * The directory of the database: checks that it is a database of this backend, or empty, and opens
 * it.
 *
 * <p>RocksDB itself does not check enough: if the file {@code CURRENT} is missing, it creates a new
 * database over the files of the old one and deletes them. So the directory is checked first.
 */
public final class DatabaseFiles {

  static final byte[] APPLIED_KEY = ascii("applied");
  static final byte[] JOURNAL_KEY = ascii("journal");
  static final byte[] BEGIN_KEY = ascii("begin");

  /** Between the name of the directory and a number: earlier states of objects, while in use. */
  public static final String PAST_INFIX = ".past-";

  static final byte[] FORMAT_KEY = ascii("format");
  static final String NAMESPACE_PREFIX = "namespace/";
  public static final int FORMAT = 2;
  static final byte[] PAIRS_FAMILY = RocksDB.DEFAULT_COLUMN_FAMILY;
  static final byte[] META_FAMILY = ascii("meta");
  static final byte[] CATALOG_FAMILY = ascii("catalog");
  private static final int BLOOM_BITS_PER_KEY = 10;

  /**
   * What RocksDB may take.
   *
   * @param blockCacheBytes bytes of files in memory
   * @param writeBufferBytes bytes of changes in memory
   * @param filesOpenMax number of open files
   * @param backgroundThreadsMax number of threads that flush and compact
   */
  public record Bounds(
      long blockCacheBytes, long writeBufferBytes, int filesOpenMax, int backgroundThreadsMax) {}

  private final Path directory;
  private final Bounds bounds;
  private final @Nullable RecoveryStart start;

  /**
   * Creates what opens a database.
   *
   * @param start determines what a database must have; null if nothing ties it to its journal
   */
  public DatabaseFiles(Path directory, Bounds bounds, @Nullable RecoveryStart start) {
    this.directory = directory;
    this.bounds = bounds;
    this.start = start;
  }

  /**
   * Opens the database, or creates it.
   *
   * @throws DataDirectoryException if this fails; the message states the reason
   */
  public Database open() {
    prepareDirectory();
    try {
      return openFiles();
    } catch (RocksDBException e) {
      if (codeOf(e) != Code.Corruption || start == null || !cutTornManifest(start)) {
        throw cannotOpen(e);
      }
    }
    try {
      return openFiles();
    } catch (RocksDBException e) {
      throw cannotOpen(e);
    }
  }

  private Database openFiles() throws RocksDBException {
    NativeHandles handles = new NativeHandles();
    try {
      requireKnownFamilies();
      Database database = open(handles);
      handles = new NativeHandles(); // now the database owns them
      return database;
    } finally {
      handles.close();
    }
  }

  private boolean cutTornManifest(RecoveryStart guard) {
    try {
      return new TornManifest(directory, this::appliedIn).cut(guard::isUsable);
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory, "The torn end of the RocksDB database's MANIFEST cannot be truncated", e);
    }
  }

  /** {@return the position up to which a database that is only inspected has every batch} */
  private long appliedIn(Path copy) throws RocksDBException {
    NativeHandles handles = new NativeHandles();
    try {
      List<ColumnFamilyHandle> families = new ArrayList<>();
      RocksDB rocks =
          RocksDB.openReadOnly(
              databaseOptions(handles), copy.toString(), families(handles), families);
      handles.add(rocks);
      families.forEach(handles::add);
      byte[] applied = rocks.get(families.get(1), APPLIED_KEY);
      return applied == null ? 0 : numberIn("applied", applied, Long.BYTES);
    } finally {
      handles.close();
    }
  }

  private void prepareDirectory() {
    try {
      new FileDisk().createDirectories(directory);
      deleteLeftovers();
      if (Files.exists(directory.resolve("CURRENT"))) {
        requireManifest();
      } else if (hasTables()) {
        throw damaged("it has table files, but its file CURRENT is missing");
      } else if (start != null) {
        start.requireForEmpty();
      }
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory, "The directory of the RocksDB database cannot be used", e);
    }
  }

  /** Deletes the files that a killed process left beside the database. */
  private void deleteLeftovers() throws IOException {
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      try (DirectoryStream<Path> left =
          Files.newDirectoryStream(parent, directory.getFileName() + PAST_INFIX + "*")) {
        for (Path each : left) {
          SpilledPairs.delete(each);
        }
      }
    }
  }

  /** RocksDB would report a missing file and one that another process has open in the same way. */
  private void requireManifest() throws IOException {
    Path manifest = Manifest.of(directory);
    if (manifest == null) {
      throw damaged("its file CURRENT does not name a MANIFEST");
    }
    if (!Files.exists(manifest)) {
      throw damaged("the file " + manifest.getFileName() + " that CURRENT names is missing");
    }
  }

  private DataDirectoryException damaged(String what) {
    return new DataDirectoryException(
        directory,
        "The RocksDB database is damaged: "
            + what
            + ". Restore the whole data directory from one copy; nothing was changed",
        null);
  }

  private boolean hasTables() throws IOException {
    try (DirectoryStream<Path> tables = Files.newDirectoryStream(directory, "*.sst")) {
      return tables.iterator().hasNext();
    }
  }

  /**
   * RocksDB opens only the families that are listed; an unknown family would cause an obscure
   * error.
   */
  private void requireKnownFamilies() throws RocksDBException {
    if (!Files.exists(directory.resolve("CURRENT"))) {
      return;
    }
    TreeSet<String> unknown = new TreeSet<>();
    try (Options listing = new Options()) {
      for (byte[] family : RocksDB.listColumnFamilies(listing, directory.toString())) {
        unknown.add(new String(family, StandardCharsets.UTF_8));
      }
    }
    unknown.remove(new String(PAIRS_FAMILY, StandardCharsets.UTF_8));
    unknown.remove(new String(META_FAMILY, StandardCharsets.UTF_8));
    unknown.remove(new String(CATALOG_FAMILY, StandardCharsets.UTF_8));
    if (!unknown.isEmpty()) {
      throw new DataDirectoryException(
          directory,
          "The RocksDB database has column families that this version does not know: "
              + unknown
              + ". It was written by a newer version, or by another program",
          null);
    }
  }

  private Database open(NativeHandles handles) throws RocksDBException {
    List<ColumnFamilyHandle> families = new ArrayList<>();
    Statistics counters = handles.add(DatabaseFigures.counters());
    DBOptions databaseOptions = databaseOptions(handles).setStatistics(counters);
    RocksDB rocks =
        RocksDB.open(databaseOptions, directory.toString(), families(handles), families);
    handles.add(rocks);
    families.forEach(handles::add);
    ColumnFamilyHandle pairs = families.get(0);
    ColumnFamilyHandle meta = families.get(1);
    // No separate log: the journal is the log. Data that is not flushed is redone from the
    // journal.
    WriteOptions unlogged = handles.add(new WriteOptions().setDisableWAL(true));
    boolean isNew = checkFormat(rocks, families, unlogged);
    byte[] applied = rocks.get(meta, APPLIED_KEY);
    byte[] journal = rocks.get(meta, JOURNAL_KEY);
    byte[] begin = rocks.get(meta, BEGIN_KEY);
    return new Database(
        new Database.Native(rocks, pairs, meta, families.get(2), unlogged, counters, handles),
        new Database.Found(
            directory,
            applied == null ? 0 : numberIn("applied", applied, Long.BYTES),
            namespaces(rocks, meta),
            journal == null ? Database.Found.NO_JOURNAL : numberIn("journal", journal, Long.BYTES),
            begin == null ? Journal.START : numberIn("begin", begin, Long.BYTES),
            isNew));
  }

  private DBOptions databaseOptions(NativeHandles handles) {
    return handles
        .add(withoutSpareManifest())
        .setMaxManifestFileSize(RocksDbBounds.MANIFEST_BYTES_MAX)
        .setCreateIfMissing(true)
        // Also repairs a crash between the creations of the database and the family.
        .setCreateMissingColumnFamilies(true)
        .setAtomicFlush(true)
        // A clean close flushes; after a failure the journal has the contents of the buffers.
        .setAvoidFlushDuringShutdown(true)
        .setMaxOpenFiles(bounds.filesOpenMax())
        .setMaxBackgroundJobs(bounds.backgroundThreadsMax())
        .setDbWriteBufferSize(bounds.writeBufferBytes())
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
        .setMaxLogFileSize(RocksDbBounds.LOG_FILE_BYTES_MAX)
        .setKeepLogFileNum(2)
        .setStatsDumpPeriodSec(0)
        .setStatsPersistPeriodSec(0);
  }

  /**
   * Otherwise the MANIFEST grows to six times what the tables need before RocksDB begins another
   * one, and keeps keys of tables that are gone. The binding has no method for this option.
   */
  private static DBOptions withoutSpareManifest() {
    Properties option = new Properties();
    option.setProperty("max_manifest_space_amp_pct", "0");
    DBOptions options = DBOptions.getDBOptionsFromProps(option);
    return options == null ? new DBOptions() : options; // a RocksDB that does not know it
  }

  private List<ColumnFamilyDescriptor> families(NativeHandles handles) {
    BlockBasedTableConfig tables =
        new BlockBasedTableConfig()
            .setBlockCache(handles.add(new LRUCache(bounds.blockCacheBytes())))
            .setFilterPolicy(handles.add(new BloomFilter(BLOOM_BITS_PER_KEY)))
            // Otherwise no option would bound the memory of indexes and filters.
            .setCacheIndexAndFilterBlocks(true)
            .setCacheIndexAndFilterBlocksWithHighPriority(true)
            .setPinL0FilterAndIndexBlocksInCache(true);
    ColumnFamilyOptions pairs =
        handles
            .add(new ColumnFamilyOptions())
            .setTableFormatConfig(tables)
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setWriteBufferSize(bounds.writeBufferBytes() / 2);
    ColumnFamilyOptions catalog =
        handles
            .add(new ColumnFamilyOptions())
            .setTableFormatConfig(tables)
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setWriteBufferSize(bounds.writeBufferBytes() / 4);
    ColumnFamilyOptions meta = handles.add(new ColumnFamilyOptions()).setTableFormatConfig(tables);
    return List.of(
        new ColumnFamilyDescriptor(PAIRS_FAMILY, pairs),
        new ColumnFamilyDescriptor(META_FAMILY, meta),
        new ColumnFamilyDescriptor(CATALOG_FAMILY, catalog));
  }

  /** {@return whether the database has no format yet, and so was never flushed} */
  private boolean checkFormat(
      RocksDB rocks, List<ColumnFamilyHandle> families, WriteOptions unlogged)
      throws RocksDBException {
    ColumnFamilyHandle meta = families.get(1);
    byte[] format = rocks.get(meta, FORMAT_KEY);
    if (format == null) {
      if (hasPairs(rocks, families.get(0))) {
        throw new DataDirectoryException(
            directory, "The directory holds a RocksDB database of another program", null);
      }
      rocks.put(meta, unlogged, FORMAT_KEY, formatValue());
    } else if (numberIn("format", format, Integer.BYTES) != FORMAT) {
      throw FormatVersion.refusal(
          directory, "The RocksDB database", numberIn("format", format, Integer.BYTES), FORMAT);
    }
    return format == null;
  }

  private static boolean hasPairs(RocksDB rocks, ColumnFamilyHandle pairs) throws RocksDBException {
    try (RocksIterator iterator = rocks.newIterator(pairs)) {
      iterator.seekToFirst();
      iterator.status();
      return iterator.isValid();
    }
  }

  private Map<String, Integer> namespaces(RocksDB rocks, ColumnFamilyHandle meta)
      throws RocksDBException {
    Map<String, Integer> numbers = new HashMap<>();
    try (RocksIterator iterator = rocks.newIterator(meta)) {
      for (iterator.seek(ascii(NAMESPACE_PREFIX)); iterator.isValid(); iterator.next()) {
        String key = new String(iterator.key(), StandardCharsets.UTF_8);
        if (!key.startsWith(NAMESPACE_PREFIX)) {
          break;
        }
        numbers.put(
            key.substring(NAMESPACE_PREFIX.length()),
            (int) numberIn(key, iterator.value(), Integer.BYTES));
      }
      iterator.status();
    }
    return numbers;
  }

  static byte[] namespaceKey(String namespace) {
    return (NAMESPACE_PREFIX + namespace).getBytes(StandardCharsets.UTF_8);
  }

  private long numberIn(String what, byte[] bytes, int length) {
    if (bytes.length != length) {
      throw new DataDirectoryException(
          directory,
          "The RocksDB database is damaged: '" + what + "' has " + bytes.length + " bytes",
          null);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return length == Long.BYTES ? buffer.getLong() : buffer.getInt();
  }

  private DataDirectoryException cannotOpen(RocksDBException e) {
    String text = String.valueOf(e.getMessage());
    String message =
        switch (codeOf(e)) {
          case Corruption ->
              "The RocksDB database is damaged. Restore the whole data directory from one copy;"
                  + " nothing was changed";
          case IOError ->
              text.contains("While lock file") || text.contains("lock hold by current process")
                  ? "The RocksDB database cannot be opened: another process or runtime has it open"
                  : "The RocksDB database cannot be opened: its files cannot be read or written";
          case null, default -> "The RocksDB database cannot be opened";
        };
    return new DataDirectoryException(directory, message + " (" + text + ")", e);
  }

  static @Nullable Code codeOf(RocksDBException e) {
    return e.getStatus() == null ? null : e.getStatus().getCode();
  }

  static byte[] formatValue() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(FORMAT).array();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
